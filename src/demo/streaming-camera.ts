import path from "node:path";
import { buffer } from "node:stream/consumers";
import { updateCamera } from "../camera/camera-write.service.js";
import { requestStreamProbe } from "../camera/stream-request.service.js";
import { StreamProtocol, StreamType } from "../camera/stream-type.js";
import type { PrismaClient } from "../generated/prisma/client.js";
import type { GatewayServices } from "../operation/gateway-services.js";
import type { ObjectStore } from "../storage/object-store.js";
import { demoFacilities, frameKey, pictureFolder } from "./fleet-definition.js";
import { authenticateDemoKey, type DemoWorkspace } from "./live-detector.js";
import { filmSegments } from "./stream-segments.js";
import { playlistName, StreamServer } from "./stream-server.js";

/** The camera of the demo that has a real stream, at the first facility. */
const streaming = demoFacilities[0]?.cameras.findIndex(({ name }) => name === "Main gate") ?? -1;
/** The pictures of the film, in the store: the empty scene, and what happens in it. */
const filmed = ["frame", "alert-0-0", "frame", "alert-1-0", "alert-1-1", "frame", "alert-0-1", "alert-0-2"];

/** The dependencies of {@link StreamingCamera}. */
export interface StreamingCameraDependencies {
  prisma: PrismaClient;
  store: ObjectStore;
  ffmpegPath: string;
  /** The directory that keeps the film. */
  dataDirectory: string;
}

/**
 * Gives one camera of the demo a real stream, so that it has a live view. The gateway
 * serves the stream itself on loopback, and opens it like any other.
 */
export class StreamingCamera {
  readonly #dependencies: StreamingCameraDependencies;
  readonly #demo: DemoWorkspace;
  readonly #cameraId: string;
  readonly #server: StreamServer;

  private constructor(
    dependencies: StreamingCameraDependencies,
    demo: DemoWorkspace,
    { cameraId, server }: { cameraId: string; server: StreamServer },
  ) {
    this.#dependencies = dependencies;
    this.#demo = demo;
    this.#cameraId = cameraId;
    this.#server = server;
  }

  /**
   * Listens where the camera's stream was before, if possible. Undefined if somebody has
   * given the camera another stream or picture, or deleted it.
   */
  static async open(
    dependencies: StreamingCameraDependencies,
    demo: DemoWorkspace,
  ): Promise<StreamingCamera | undefined> {
    const cameras = await dependencies.prisma.camera.findMany({
      where: {
        workspaceId: demo.workspaceId,
        removedAt: null,
        OR: [
          { url: { startsWith: "http://127.0.0.1:", endsWith: `/${playlistName}` } },
          { imageLink: frameKey(streaming) },
        ],
      },
      select: { id: true, url: true },
      orderBy: { streamProtocol: "asc" },
    });
    const [camera] = cameras;
    if (!camera) return undefined;
    const port = /^http:\/\/127\.0\.0\.1:(\d+)\//.exec(camera.url ?? "")?.[1];
    const server = await StreamServer.open(Number(port ?? 0));
    return new StreamingCamera(dependencies, demo, { cameraId: camera.id, server });
  }

  /** The port of the stream on loopback. */
  get port(): number {
    return this.#server.port;
  }

  /** Makes the film, unless it was made before, and gives the camera its stream. */
  async begin(services: GatewayServices, signal: AbortSignal): Promise<void> {
    const { prisma, store, ffmpegPath, dataDirectory } = this.#dependencies;
    const directory = path.join(dataDirectory, "demo-stream");
    this.#server.show(await filmSegments(ffmpegPath, directory, () => readPictures(store), signal));
    const { url } = this.#server;
    const { workspaceId } = this.#demo;
    const id = this.#cameraId;
    const context = await authenticateDemoKey(services, this.#demo);
    const isShown = await prisma.camera.findFirst({ where: { workspaceId, id, url } });
    const isFed = await prisma.cameraFeed.findFirst({ where: { workspaceId, cameraId: id } });
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

  close(): Promise<void> {
    return this.#server.close();
  }
}

async function readPictures(store: ObjectStore): Promise<Buffer[]> {
  const pictures: Buffer[] = [];
  for (const name of filmed) {
    const content = await store.read(`${pictureFolder(streaming)}/${name}.jpg`);
    if (content) pictures.push(await buffer(content));
  }
  return pictures;
}
