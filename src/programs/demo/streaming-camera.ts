import type { RequestContext } from "../../engine/operation/request-context.js";
import { updateCamera } from "../../features/camera/camera.mutation.js";
import { requestStreamProbe } from "../../features/camera/stream/stream-request.service.js";
import { StreamProtocol, StreamType } from "../../features/camera/stream-type.js";
import type { PrismaClient } from "../../generated/prisma/client.js";
import { pictureKey } from "./camera-pictures.js";
import { demoFacilities } from "./fleet-definition.js";
import { playlistName, StreamServer } from "./stream-server.js";

/** The camera of the demo that has a real stream, at the first facility. */
const streaming = demoFacilities[0]?.cameras.indexOf("Main gate") ?? -1;

/** Gives one camera of the demo a real stream for its live view, which the gateway serves itself on loopback. */
export class StreamingCamera {
  readonly #prisma: PrismaClient;
  /** Its number in the fleet. */
  readonly index = streaming;

  private constructor(
    prisma: PrismaClient,
    readonly cameraId: string,
    readonly server: StreamServer,
  ) {
    this.#prisma = prisma;
  }

  /** Listens where the stream was before, if possible. Undefined if somebody has changed or deleted the camera. */
  static async open(prisma: PrismaClient, workspaceId: string): Promise<StreamingCamera | undefined> {
    const camera = await prisma.camera.findFirst({
      where: {
        workspaceId,
        removedAt: null,
        OR: [
          { url: { startsWith: "http://127.0.0.1:", endsWith: `/${playlistName}` } },
          { imageLink: pictureKey(streaming, "frame") },
        ],
      },
      select: { id: true, url: true },
      orderBy: { streamProtocol: "asc" },
    });
    if (!camera) return undefined;
    const port = /^http:\/\/127\.0\.0\.1:(\d+)\//.exec(camera.url ?? "")?.[1];
    return new StreamingCamera(prisma, camera.id, await StreamServer.open(Number(port ?? 0)));
  }

  async begin(context: RequestContext): Promise<void> {
    const { url } = this.server;
    const id = this.cameraId;
    const { workspaceId } = context.caller;
    const isShown = await this.#prisma.camera.findFirst({ where: { workspaceId, id, url } });
    const isFed = await this.#prisma.cameraFeed.findFirst({ where: { workspaceId, cameraId: id } });
    if (isShown && !isFed) await requestStreamProbe(context, id);
    if (isShown) return;
    await updateCamera(context, id, {
      url,
      streamType: StreamType.DIRECT,
      streamProtocol: StreamProtocol.HLS,
      // The demo never writes to anybody.
      emailAddresses: [],
    });
  }
}
