import { Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import type { RequestContext } from "../../../engine/operation/request-context.js";
import { RequiresColumns } from "../../../engine/reading/annotations.js";
import { computedColumn } from "../../../engine/reading/computed-column.js";
import { Prisma } from "../../../generated/prisma/client.js";
import { CheckedArgs } from "../../../platform/input/input-type.js";
import { type CameraRow, cameraById } from "../camera.loader.js";
import { Camera } from "../camera.type.js";
import { CountCamerasArguments } from "../camera-search.input.js";
import { conditionsOf } from "../camera-search.loader.js";
import { CameraState, cameraState } from "./camera-state.js";
import { CameraStateCount } from "./camera-state.type.js";

@Resolver(() => Camera)
export class CameraStateResolver {
  @RequiresColumns("state")
  @FieldResolver(() => CameraState, {
    description:
      "Whether the camera works, by its facility, its status detail and the age of its picture. It changes with time, of which no event tells.",
  })
  state(@Ctx() context: RequestContext, @Root() camera: CameraRow): CameraState | Promise<CameraState> {
    return computedColumn(context, cameraById, camera, "state");
  }

  @Query(() => [CameraStateCount], {
    description:
      "The number of cameras that are visible to the caller and match a filter, by facility and state. Without groups that have no camera.",
  })
  cameraStateCounts(
    @Ctx() context: RequestContext,
    @CheckedArgs(CountCamerasArguments) { filter }: CountCamerasArguments,
  ): Promise<CameraStateCount[]> {
    return context.visible.query((sources) => {
      const conditions = [Prisma.sql`true`, ...(filter ? conditionsOf(filter, sources) : [])];
      return Prisma.sql`
        SELECT item."facilityId", ${cameraState(sources)} AS "state", count(*)::int AS "count"
        FROM ${sources.cameras} AS item WHERE ${Prisma.join(conditions, " AND ")} GROUP BY 1, 2 ORDER BY 1, 2`;
    });
  }
}
