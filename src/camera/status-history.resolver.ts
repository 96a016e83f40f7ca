import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { CheckedArgs } from "../platform/input-type.js";
import { ReadAhead, RequiresColumns } from "../reading/annotations.js";
import { type Connection, PageArguments } from "../reading/connection.js";
import { Selected, type Selection } from "../reading/selection.js";
import type { RequestContext } from "../request/request-context.js";
import type { CameraRow } from "./camera.loader.js";
import { Camera } from "./camera.type.js";
import { StatusChangeConnection } from "./status-change.type.js";
import { type StatusChangeRow, statusHistory } from "./status-history.loader.js";

@Resolver(() => Camera)
export class CameraStatusHistoryResolver {
  @RequiresColumns()
  @ReadAhead(statusHistory.pages)
  @FieldResolver(() => StatusChangeConnection, { description: "The reported status details, newest first." })
  statusHistory(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() camera: CameraRow,
    @CheckedArgs(PageArguments) page: PageArguments,
  ): Promise<Connection<StatusChangeRow>> {
    return statusHistory(context, camera.id, selection, page);
  }
}
