import type { GraphQLResolveInfo } from "graphql";
import { Args, Ctx, FieldResolver, Info, Resolver, Root } from "type-graphql";
import { defineNewestList } from "../access/newest-list.js";
import type { RequestContext } from "../access/request-context.js";
import type { StatusChange } from "../generated/prisma/client.js";
import { ArgumentRules } from "../platform/argument-rules.js";
import { type Connection, PageArguments, pageArguments, pageRequest } from "../platform/connection.js";
import { Reads, type Selected, selectedColumns } from "../platform/selection.js";
import type { CameraRow } from "./camera.loader.js";
import { Camera } from "./camera.type.js";
import { StatusChangeConnection } from "./status-change.type.js";

const statusChangeKeys = ["id", "createdAt"] as const;

type StatusChangeRow = Selected<StatusChange, (typeof statusChangeKeys)[number]>;

const statusHistory = defineNewestList<StatusChangeRow, null>({
  source: "statusChanges",
  parentColumns: ["cameraId"],
  conditions: () => [],
});

@Resolver(() => Camera)
export class CameraStatusHistoryResolver {
  @Reads()
  @ArgumentRules(pageArguments)
  @FieldResolver(() => StatusChangeConnection, { description: "The status details that were reported, newest first." })
  statusHistory(
    @Ctx() context: RequestContext,
    @Info() info: GraphQLResolveInfo,
    @Root() camera: CameraRow,
    @Args(() => PageArguments) page: PageArguments,
  ): Promise<Connection<StatusChangeRow>> {
    const columns = selectedColumns(info, statusChangeKeys);
    return statusHistory(context, camera.id, { parentColumn: "cameraId", columns, filter: null, page: pageRequest(page) });
  }
}
