import type { GraphQLResolveInfo } from "graphql";
import { Args, Ctx, FieldResolver, Info, Resolver, Root } from "type-graphql";
import { defineNewestList } from "../access/newest-list.js";
import { momentsOf } from "../access/records.js";
import type { RequestContext } from "../access/request-context.js";
import type { StatusChange } from "../generated/prisma/client.js";
import { ArgumentRules } from "../platform/argument-rules.js";
import { type Connection, PageArguments, pageArguments } from "../platform/connection.js";
import { Follows, Reads, type Selected, selectionOf } from "../platform/selection.js";
import type { CameraRow } from "./camera.loader.js";
import { Camera } from "./camera.type.js";
import { StatusChangeConnection } from "./status-change.type.js";

const statusChangeKeys = ["id", "createdAt"] as const;

type StatusChangeRow = Selected<StatusChange, (typeof statusChangeKeys)[number]>;

const statusHistory = defineNewestList<StatusChangeRow, null>({
  kind: { source: "statusChanges", keys: statusChangeKeys, moments: momentsOf<StatusChange>({ createdAt: true }) },
  parentColumn: "cameraId",
  conditions: () => [],
  filterOf: () => null,
});

@Resolver(() => Camera)
export class CameraStatusHistoryResolver {
  @Reads()
  @Follows(statusHistory.pages)
  @ArgumentRules(pageArguments)
  @FieldResolver(() => StatusChangeConnection, { description: "The status details that were reported, newest first." })
  statusHistory(
    @Ctx() context: RequestContext,
    @Info() info: GraphQLResolveInfo,
    @Root() camera: CameraRow,
    @Args(() => PageArguments) page: PageArguments,
  ): Promise<Connection<StatusChangeRow>> {
    return statusHistory(context, camera.id, selectionOf(info, statusChangeKeys), page);
  }
}
