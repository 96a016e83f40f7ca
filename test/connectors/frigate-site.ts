import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { inject } from "vitest";
import type { Permission } from "../../src/engine/access/permissions.js";
import { eventually } from "../support/eventually.js";
import {
  createAlertRule,
  createApiKey,
  createCamera,
  createFacility,
  createWorkspace,
} from "../support/factories.js";
import type { Gateway } from "../support/harness.js";
import { type Ending, type RunningCommand, startCommand } from "../support/running-command.js";
import { FrigateStandIn } from "./frigate-stand-in.js";

const permissions: Permission[] = ["cameras:read", "cameras:write", "alerts:write"];

/** A site with Frigate, a workspace with its cameras, and the connector between them. */
export class FrigateSite {
  private constructor(
    readonly gateway: Gateway,
    readonly frigate: FrigateStandIn,
    readonly workspaceId: string,
    readonly facilityId: string,
    readonly doorId: string,
    readonly directory: string,
    private readonly apiKey: string,
  ) {}

  static async forTest(gateway: Gateway): Promise<FrigateSite> {
    const { prisma } = gateway;
    const frigate = await FrigateStandIn.forTest();
    const workspaceId = await createWorkspace(prisma);
    const facilityId = await createFacility(prisma, { workspaceId, name: "Site" });
    const doorId = await createCamera(prisma, { workspaceId, facilityId, name: "door" });
    await createCamera(prisma, { workspaceId, facilityId, name: "gate" });
    const { key } = await createApiKey(prisma, { workspaceId, permissions });
    const directory = await mkdtemp(path.join(inject("resources").directory, "connector-"));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    return new FrigateSite(gateway, frigate, workspaceId, facilityId, doorId, directory, key);
  }

  get stateFile(): string {
    return path.join(this.directory, "state.json");
  }

  /** Starts the connector; settings of `frigate` are merged with the usual ones. */
  async start(
    { frigate, ...settings }: { frigate?: object; [name: string]: unknown } = {},
    parameters: string[] = [],
  ): Promise<RunningCommand> {
    const file = path.join(this.directory, `${randomUUID()}.json`);
    const configuration = {
      name: "test-site",
      gateway: { url: this.gateway.url, apiKey: { environment: "API_KEY" } },
      broker: { url: this.frigate.broker.url },
      stateFile: this.stateFile,
      ...settings,
      frigate: { url: this.frigate.url, pictureWaitSeconds: 0, statusSettleSeconds: 0, ...frigate },
    };
    await writeFile(file, JSON.stringify(configuration));
    return startCommand("commands/connect-frigate", {
      environment: { API_KEY: this.apiKey },
      parameters: [file, ...parameters],
    });
  }

  /** Starts the connector, and waits until it hears what Frigate tells. */
  async connect(
    settings: Parameters<FrigateSite["start"]>[0] = {},
    parameters: string[] = [],
  ): Promise<RunningCommand> {
    const connector = await this.start(settings, parameters);
    await connector.said(/Connected to the broker/);
    return connector;
  }

  /** Runs the connector to its end. */
  async run(parameters: string[], settings: Parameters<FrigateSite["start"]>[0] = {}): Promise<Ending> {
    return (await this.start(settings, parameters)).ended;
  }

  /** Stops a connector as a system does. */
  async stop(connector: RunningCommand): Promise<Ending> {
    connector.signal("SIGTERM");
    return connector.ended;
  }

  /** A rule of the camera at the door, with an area of a name. */
  newRule(area: string, values: Partial<Parameters<typeof createAlertRule>[1]> = {}): Promise<string> {
    const points = [
      { x: 0, y: 0 },
      { x: 100, y: 0 },
      { x: 100, y: 100 },
    ];
    const children = [
      { id: randomUUID(), type: "AREA", name: area, points },
      { id: randomUUID(), type: "PERSON_IN_AREA", objects: ["PERSON"] },
    ];
    return createAlertRule(this.gateway.prisma, {
      workspaceId: this.workspaceId,
      cameraId: this.doorId,
      name: "PERSON_IN_AREA",
      dayRange: [0, 1, 2, 3, 4, 5, 6],
      group: { id: randomUUID(), type: "GROUP", operator: "AND", children },
      ...values,
    });
  }

  /** All alerts, the oldest first. */
  alerts() {
    return this.gateway.prisma.alert.findMany({
      where: { workspaceId: this.workspaceId },
      orderBy: [{ createdAt: "asc" }, { id: "asc" }],
    });
  }

  /** The alerts, once there are this number of them. */
  alertsOnceThere(count: number) {
    return eventually(
      () => this.alerts(),
      ({ length }) => length >= count,
    );
  }
}
