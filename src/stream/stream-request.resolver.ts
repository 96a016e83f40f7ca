import type { GraphQLResolveInfo } from "graphql";
import { Args, Ctx, FieldResolver, Info, Resolver, Root } from "type-graphql";
import { defineNewestList } from "../access/newest-list.js";
import { momentsOf } from "../access/records.js";
import type { RequestContext } from "../access/request-context.js";
import type { CameraRow } from "../camera/camera.loader.js";
import { Camera } from "../camera/camera.type.js";
import type { StreamRequest } from "../generated/prisma/client.js";
import { ArgumentRules } from "../platform/argument-rules.js";
import { type Connection, PageArguments, pageArguments } from "../platform/connection.js";
import { Follows, Reads, type Selected, selectionOf } from "../platform/selection.js";
import { StreamRequestConnection } from "./stream-request.type.js";

const streamRequestKeys = ["id", "createdAt"] as const;

type StreamRequestRow = Selected<StreamRequest, (typeof streamRequestKeys)[number]>;

const streamRequests = defineNewestList<StreamRequestRow, null>({
  kind: {
    source: "streamRequests",
    keys: streamRequestKeys,
    moments: momentsOf<StreamRequest>({
      createdAt: true,
      expiresAt: true,
      supersededAt: true,
      lastCallbackAt: true,
      nextDeliveryAt: true,
      deliveredAt: true,
    }),
  },
  parentColumn: "cameraId",
  conditions: () => [],
  filterOf: () => null,
});

@Resolver(() => Camera)
export class CameraStreamRequestsResolver {
  @Reads()
  @Follows(streamRequests.pages)
  @ArgumentRules(pageArguments)
  @FieldResolver(() => StreamRequestConnection, { description: "The attempts to open the camera's stream, newest first." })
  streamRequests(
    @Ctx() context: RequestContext,
    @Info() info: GraphQLResolveInfo,
    @Root() camera: CameraRow,
    @Args(() => PageArguments) page: PageArguments,
  ): Promise<Connection<StreamRequestRow>> {
    return streamRequests(context, camera.id, selectionOf(info, streamRequestKeys), page);
  }
}
