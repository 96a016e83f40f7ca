import { Ctx, FieldResolver, Int, Resolver, Root } from "type-graphql";
import { type CameraRow, cameraById } from "../../camera/camera.loader.js";
import { Camera } from "../../camera/camera.type.js";
import { type FacilityRow, facilityById } from "../../facility/facility.loader.js";
import { Facility } from "../../facility/facility.type.js";
import type { RequestContext } from "../../operation/request-context.js";
import { RequiresColumns } from "../../reading/annotations.js";
import { computedColumn } from "../../reading/computed-column.js";
import { type WorkspaceRow, workspaceById } from "../../workspace/workspace.loader.js";
import { Workspace } from "../../workspace/workspace.type.js";

const openAlerts = (place: string) =>
  `The number of open alerts ${place} that are visible to the caller: those that are neither acknowledged nor false positives nor observations.`;

@Resolver(() => Workspace)
export class WorkspaceOpenAlertCountResolver {
  @RequiresColumns("openAlertCount")
  @FieldResolver(() => Int, { description: openAlerts("of the workspace") })
  openAlertCount(@Ctx() context: RequestContext, @Root() workspace: WorkspaceRow): number | Promise<number> {
    return computedColumn(context, workspaceById, workspace, "openAlertCount");
  }
}

@Resolver(() => Facility)
export class FacilityOpenAlertCountResolver {
  @RequiresColumns("openAlertCount")
  @FieldResolver(() => Int, { description: openAlerts("of the facility") })
  openAlertCount(@Ctx() context: RequestContext, @Root() facility: FacilityRow): number | Promise<number> {
    return computedColumn(context, facilityById, facility, "openAlertCount");
  }
}

@Resolver(() => Camera)
export class CameraOpenAlertCountResolver {
  @RequiresColumns("openAlertCount")
  @FieldResolver(() => Int, { description: openAlerts("of the camera") })
  openAlertCount(@Ctx() context: RequestContext, @Root() camera: CameraRow): number | Promise<number> {
    return computedColumn(context, cameraById, camera, "openAlertCount");
  }
}
