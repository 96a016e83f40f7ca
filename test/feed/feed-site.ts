import { permissions } from "../../src/engine/access/permissions.js";
import { createApiKey, createFacility, createWorkspace } from "../support/factories.js";
import { type Gateway, gatewayForTest, run, type Sender } from "../support/harness.js";
import { TestSite } from "../support/test-site.js";
import { feedSettings } from "./switched-camera.js";

/** A camera as its owner sees it. */
export interface SeenCamera {
  id: string;
  statusDetail: string;
  pictureAt: string | null;
  updatedAt: string;
  imageLink: string | null;
  thumbnailUrl: string | null;
  imageDimensions: { width: number; height: number } | null;
  feedError: { code: string; message: string; since: string } | null;
  statusHistory: { nodes: { statusDetail: string; source: string }[] };
  streamRequests: {
    nodes: {
      errorCode: string | null;
      errorOperation: string | null;
      errorMessage: string | null;
      metadata: Record<string, unknown> | null;
    }[];
  };
}

const cameraQuery = `query ($id: UUID!) { camera(id: $id) {
  id statusDetail pictureAt updatedAt imageLink thumbnailUrl imageDimensions { width height } feedError { code message since }
  statusHistory { nodes { statusDetail source } }
  streamRequests { nodes { errorCode errorOperation errorMessage metadata } } } }`;

type Settings = Record<string, string>;

/** A workspace with a facility, whose cameras a gateway opens by a clock that is moved. */
export class FeedSite {
  time = Math.floor(Date.now() / 1000) * 1000;
  readonly now = () => new Date(this.time);
  gateway!: Gateway;
  workspaceId = "";
  facilityId = "";
  as: Sender = "nobody";

  /** A site at a gateway of its own, which uses the clock, until the running test ends. */
  static async forTest(options: Parameters<typeof gatewayForTest>[0] = {}): Promise<FeedSite> {
    const site = new FeedSite();
    await site.open(await gatewayForTest({ now: site.now, environment: feedSettings, ...options }));
    return site;
  }

  /**
   * A site whose gateway may be closed and started again on the same data, by the returned
   * function.
   */
  static async restartable(): Promise<{ site: FeedSite; start: (environment?: Settings) => Promise<void> }> {
    const site = new FeedSite();
    const testSite = await TestSite.forTest();
    const start = async (environment: Settings = feedSettings) => {
      const gateway = await testSite.start({ now: site.now, environment });
      onTestFinished(() => gateway.close());
      site.gateway = gateway;
    };
    await start();
    await site.open(site.gateway);
    return { site, start };
  }

  /** Creates the workspace at the gateway, which uses the clock. */
  async open(gateway: Gateway): Promise<void> {
    this.gateway = gateway;
    const { prisma } = gateway;
    this.workspaceId = await createWorkspace(prisma);
    this.facilityId = await createFacility(prisma, { workspaceId: this.workspaceId });
    // A token would be used beyond its lifetime.
    this.as = await createApiKey(prisma, { workspaceId: this.workspaceId, permissions: [...permissions] });
  }

  /** Creates a camera, and returns its id without waiting for its stream. */
  async create(url: string, input: object = {}, gateway = this.gateway): Promise<string> {
    const { createCamera } = await run<{ createCamera: { camera: { id: string } } }>(gateway, this, [
      "mutation ($facilityId: UUID!, $input: CreateCameraInput!) { createCamera(facilityId: $facilityId, input: $input) { camera { id } } }",
      { facilityId: this.facilityId, input: { name: "Gate", url, streamType: "DIRECT", ...input } },
    ]);
    return createCamera.camera.id;
  }

  /** Creates a camera, and waits until its stream was opened. */
  async added(url: string, input: object = {}): Promise<string> {
    const id = await this.create(url, input);
    await this.gateway.app.idle();
    return id;
  }

  /** Moves the clock, and waits until what is due then is done. */
  async advance(seconds: number): Promise<void> {
    this.time += seconds * 1000;
    await this.wake();
    await this.gateway.app.idle();
  }

  /** Wakes the workers of a gateway by a write about no camera that it opens. */
  async wake(gateway = this.gateway): Promise<void> {
    await this.create("rtsp://camera.example/", { streamType: "PROXY" }, gateway);
  }

  async camera(id: string): Promise<SeenCamera> {
    return (await this.gateway.data<{ camera: SeenCamera }>(cameraQuery, { as: this.as, variables: { id } }))
      .camera;
  }

  /** Opens the live view of a camera by a new link. */
  async openLive(id: string): Promise<Response> {
    const { camera } = await this.gateway.data<{ camera: { liveUrl: string } }>(
      "query ($id: UUID!) { camera(id: $id) { liveUrl } }",
      { as: this.as, variables: { id } },
    );
    const { pathname, search } = new URL(camera.liveUrl);
    return this.gateway.fetch(pathname + search);
  }

  update(id: string, input: object): Promise<unknown> {
    return run(this.gateway, this, [
      "mutation ($id: UUID!, $input: UpdateCameraInput!) { updateCamera(id: $id, input: $input) { id } }",
      { id, input },
    ]);
  }

  probe(id: string): Promise<unknown> {
    return run(this.gateway, this, [
      "mutation ($id: UUID!) { requestStreamProbe(cameraId: $id) { requestId } }",
      { id },
    ]);
  }

  delete(id: string): Promise<unknown> {
    return run(this.gateway, this, ["mutation ($id: UUID!) { deleteCamera(id: $id) { id } }", { id }]);
  }

  setDetail(id: string, statusDetail: string): Promise<unknown> {
    return run(this.gateway, this, [
      "mutation ($id: UUID!, $input: StatusDetailInput!) { setCameraStatusDetail(id: $id, input: $input) { id } }",
      { id, input: { statusDetail, source: "DASHBOARD" } },
    ]);
  }

  /** The actions about a camera in the audit log, the oldest first. */
  async actions(id: string): Promise<string[]> {
    const entries = await this.gateway.prisma.auditEntry.findMany({
      where: { workspaceId: this.workspaceId, targetId: id },
      orderBy: { id: "asc" },
    });
    return entries.map(({ action }) => action);
  }
}
