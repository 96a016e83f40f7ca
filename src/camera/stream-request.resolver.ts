import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { CheckedArgs } from "../platform/input-type.js";
import { ReadAhead, RequiresColumns } from "../reading/annotations.js";
import { type Connection, PageArguments } from "../reading/connection.js";
import { Selected, type Selection } from "../reading/selection.js";
import type { RequestContext } from "../request/request-context.js";
import type { CameraRow } from "./camera.loader.js";
import { Camera } from "./camera.type.js";
import { type StreamRequestRow, streamRequestsByCamera } from "./stream-request.loader.js";
import { StreamRequestConnection } from "./stream-request.type.js";

@Resolver(() => Camera)
export class CameraStreamRequestsResolver {
  @RequiresColumns()
  @ReadAhead(streamRequestsByCamera.pages)
  @FieldResolver(() => StreamRequestConnection, { description: "The requests to open the camera's stream, newest first." })
  streamRequests(
    @Ctx() context: RequestContext,
    @Selected() selection: Selection,
    @Root() camera: CameraRow,
    @CheckedArgs(PageArguments) page: PageArguments,
  ): Promise<Connection<StreamRequestRow>> {
    return streamRequestsByCamera(context, camera.id, selection, page);
  }
}
