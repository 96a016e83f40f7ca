// Runs once: both kinds of databases run the same statements.

import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import { permissions } from "../../src/engine/access/permissions.js";
import { outageNotification } from "../../src/features/delivery/messages/outage-notification.js";
import { contentOf } from "../../src/features/delivery/outbox/read-contents.js";
import {
  createApiKey,
  createCamera,
  createFacility,
  createStreamRequest,
  createWorkspace,
} from "../support/factories.js";
import { type Gateway, type GatewayOptions, ownGateway, run, type Sender } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { TestSite } from "../support/test-site.js";
import { type ReportKind, reportByRest } from "../writes/callbacks.js";

const minute = 60_000;
/** The silence of a facility after which people are notified. */
const silence = 11 * minute;
/** Nobody accepts mail there. */
const mail = { SMTP_URL: "smtp://127.0.0.1:1", MAIL_FROM: "gateway@test.example" };

/** A clock that is moved. */
class Clock {
  time = Math.floor(Date.now() / 1000) * 1000;
  readonly now = () => new Date(this.time);
  readonly ago = (milliseconds: number) => new Date(this.time - milliseconds);
}

/** A workspace whose gateway's clock is moved. */
class Outages {
  private constructor(
    readonly gateway: Gateway,
    readonly clock: Clock,
    readonly workspaceId: string,
    readonly admin: { as: Sender },
    /** The capability of a stream request whose reports wake the workers. */
    private readonly requestId: string,
  ) {}

  static readonly settings = (clock: Clock, environment: Record<string, string> = mail): GatewayOptions => ({
    now: clock.now,
    environment: { HEARTBEAT_TIMEOUT: "60", ...environment },
  });

  static async open(gateway: Gateway, clock: Clock): Promise<Outages> {
    const { prisma } = gateway;
    const workspaceId = await createWorkspace(prisma);
    // A token would be used beyond its lifetime.
    const admin = { as: await createApiKey(prisma, { workspaceId, permissions: [...permissions] }) };
    const cameraId = await createCamera(prisma, {
      workspaceId,
      facilityId: await createFacility(prisma, { workspaceId }),
    });
    const requestId = randomUUID();
    await createStreamRequest(prisma, { workspaceId, cameraId, requestId });
    return new Outages(gateway, clock, workspaceId, admin, requestId);
  }

  /** The same workspace at another gateway of its database. */
  at(gateway: Gateway): Outages {
    return new Outages(gateway, this.clock, this.workspaceId, this.admin, this.requestId);
  }

  newFacility(lastHeartbeatAt: Date | null = null): Promise<string> {
    return createFacility(this.gateway.prisma, {
      workspaceId: this.workspaceId,
      name: "Depot",
      lastHeartbeatAt,
    });
  }

  newCamera(facilityId: string, emailAddresses: string[], values: object = {}): Promise<string> {
    return createCamera(this.gateway.prisma, {
      workspaceId: this.workspaceId,
      facilityId,
      emailAddresses,
      ...values,
    });
  }

  async newCapability(cameraId: string): Promise<string> {
    const requestId = randomUUID();
    await createStreamRequest(this.gateway.prisma, { workspaceId: this.workspaceId, cameraId, requestId });
    return requestId;
  }

  setDetail(id: string, statusDetail: string): Promise<unknown> {
    const mutation =
      "mutation ($id: UUID!, $input: StatusDetailInput!) { setCameraStatusDetail(id: $id, input: $input) { id } }";
    return run(this.gateway, this.admin, [mutation, { id, input: { statusDetail, source: "TRACKER" } }]);
  }

  heartbeat(facilityId: string): Promise<unknown> {
    return run(this.gateway, this.admin, [
      "mutation ($facilityId: UUID!) { recordHeartbeat(facilityId: $facilityId) { id } }",
      { facilityId },
    ]);
  }

  /** Moves the clock, and waits until the workers have noticed. */
  async advance(milliseconds: number): Promise<void> {
    this.clock.time += milliseconds;
    await reportByRest(this.gateway, "thumbnail", this.requestId);
    await this.gateway.app.idle();
  }

  deliveries(facilityId: string) {
    return this.gateway.prisma.delivery.findMany({
      where: { workspaceId: this.workspaceId, facilityId },
      orderBy: [{ queuedAt: "asc" }],
    });
  }

  /** The kinds and targets of notifications so far. */
  async told(facilityId: string): Promise<string[]> {
    return (await this.deliveries(facilityId)).map(({ kind, target }) => `${kind} ${target}`);
  }
}

const clock = new Clock();

const gateway = await ownGateway(Outages.settings(clock));

const outages = await Outages.open(gateway, clock);

describe("a camera", () => {
  it("is reported to each of its addresses, once when its stream is lost and once when it is back", async () => {
    const facilityId = await outages.newFacility();
    const cameraId = await outages.newCamera(facilityId, [
      "guard@test.example",
      "Guard@test.example",
      "lead@test.example",
    ]);
    await outages.setDetail(cameraId, "STREAM_ERROR");
    await outages.setDetail(cameraId, "STREAM_ERROR");
    const told = await outages.deliveries(facilityId);
    expect(told.map(({ target }) => target.toLowerCase()).sort()).toEqual([
      "guard@test.example",
      "lead@test.example",
    ]);
    const lost = {
      kind: "CAMERA_LOST",
      channel: "EMAIL",
      cameraId,
      alertId: null,
      alertRuleId: null,
      createdAt: clock.now(),
    };
    expect(told).toMatchObject([lost, lost]);
    // Who says so has seen the stream.
    await outages.setDetail(cameraId, "LENS_DIRTY");
    await outages.setDetail(cameraId, "OPERATIONAL");
    const kinds = (await outages.deliveries(facilityId)).map(({ kind }) => kind);
    expect(kinds).toEqual(["CAMERA_LOST", "CAMERA_LOST", "CAMERA_RECOVERED", "CAMERA_RECOVERED"]);
  });

  it.each<ReportKind>(["metadata", "thumbnail"])(
    "is reported when the feed server reports an error, and then its %s",
    async (recovery) => {
      const facilityId = await outages.newFacility();
      const requestId = await outages.newCapability(
        await outages.newCamera(facilityId, ["guard@test.example"]),
      );
      for (const report of ["error", "error", recovery, recovery] as const)
        await reportByRest(gateway, report, requestId);
      expect(await outages.told(facilityId)).toEqual([
        "CAMERA_LOST guard@test.example",
        "CAMERA_RECOVERED guard@test.example",
      ]);
    },
  );
});

describe("a facility", () => {
  it("is reported to the addresses of all its cameras, once after ten minutes offline and once when it is back", async () => {
    const facilityId = await outages.newFacility();
    await outages.newCamera(facilityId, ["guard@test.example", "lead@test.example"]);
    await outages.newCamera(facilityId, ["GUARD@test.example"]);
    await outages.newCamera(facilityId, ["former@test.example"], { removedAt: clock.now() });
    const targets = async () => (await outages.told(facilityId)).map((each) => each.toLowerCase()).sort();
    await outages.advance(silence);
    await outages.heartbeat(facilityId);
    await outages.advance(silence - 1);
    expect(await targets()).toEqual([]);
    await outages.advance(1);
    const offline = ["facility_offline guard@test.example", "facility_offline lead@test.example"];
    expect(await targets()).toEqual(offline);
    expect(await outages.deliveries(facilityId)).toMatchObject(
      [0, 1].map(() => ({ cameraId: null, channel: "EMAIL", createdAt: clock.now() })),
    );
    await outages.advance(silence);
    expect(await targets()).toEqual(offline);
    await outages.heartbeat(facilityId);
    await outages.heartbeat(facilityId);
    expect(await targets()).toEqual([
      "facility_back guard@test.example",
      "facility_back lead@test.example",
      ...offline,
    ]);
  });

  it("that never sent a heartbeat, or whose heartbeats are ignored, is not reported", async () => {
    const facilityId = await outages.newFacility();
    await outages.newCamera(facilityId, ["guard@test.example"]);
    await outages.advance(2 * silence);
    await outages.heartbeat(facilityId);
    await run(gateway, outages.admin, [
      "mutation ($id: UUID!) { monitorFacility(id: $id, monitored: false) { id } }",
      { id: facilityId },
    ]);
    await outages.advance(2 * silence);
    await outages.heartbeat(facilityId);
    expect(await outages.told(facilityId)).toEqual([]);
  });

  // The embedded database is never away.
  it.runIf(inject("resources").server)(
    "is not reported for a time in which the database was away and could not record heartbeats",
    async () => {
      const { prisma } = gateway;
      await outages.advance(silence);
      const facilityId = await outages.newFacility(clock.now());
      await outages.newCamera(facilityId, ["guard@test.example"]);
      await prisma.$executeRaw`ALTER TABLE "Facility" RENAME TO "Away"`;
      await outages.advance(silence);
      await prisma.$executeRaw`ALTER TABLE "Away" RENAME TO "Facility"`;
      await outages.advance(silence - 1);
      expect(await outages.told(facilityId)).toEqual([]);
      await outages.advance(1);
      expect(await outages.told(facilityId)).toEqual(["FACILITY_OFFLINE guard@test.example"]);
    },
  );

  it("is not reported for a time without a running gateway, nor later if no email was set up when it went offline", async () => {
    const own = new Clock();
    const site = await TestSite.forTest();
    const without = await site.start(Outages.settings(own, {}));
    const before = await Outages.open(without, own);
    const [facilityId, silentBefore] = [await before.newFacility(), await before.newFacility(own.now())];
    for (const each of [facilityId, silentBefore]) await before.newCamera(each, ["guard@test.example"]);
    await before.advance(silence);
    await before.heartbeat(facilityId);
    await without.close();
    own.time += 60 * minute;
    const configured = await site.start(Outages.settings(own));
    onTestFinished(() => configured.close());
    const after = before.at(configured);
    await after.advance(silence - 1);
    expect(await after.told(facilityId)).toEqual([]);
    await after.advance(1);
    expect(await after.told(facilityId)).toEqual(["FACILITY_OFFLINE guard@test.example"]);
    expect(await after.told(silentBefore)).toEqual([]);
  });
});

describe("a message about an outage", () => {
  const notifications = async (facilityId: string) => {
    const contents = await contentOf(
      gateway.prisma,
      outages.workspaceId,
      await outages.deliveries(facilityId),
      { now: new Date(), heartbeatTimeout: 180 },
    );
    return contents.map((content) =>
      content?.kind === "notification" ? outageNotification(content, "https://gateway.example") : undefined,
    );
  };

  it("names the camera, leads to it, and says whom to call about it, and then about its facility", async () => {
    const facilityId = await outages.newFacility();
    const called = (name: string) => ({ name, role: null, phoneNumber: null, email: null, note: null });
    const camera = { name: "Gate", note: "Left door", contacts: [called("Ada")] };
    const cameraId = await outages.newCamera(facilityId, ["guard@test.example"], camera);
    await gateway.prisma.facility.updateMany({
      where: { id: facilityId },
      data: { contacts: [called("Desk")] },
    });
    await outages.setDetail(cameraId, "STREAM_ERROR");
    const facility = { id: facilityId, name: "Depot", timeZoneId: "Europe/Istanbul" };
    expect(await notifications(facilityId)).toEqual([
      {
        kind: "CAMERA_LOST",
        facility,
        camera: { id: cameraId, name: "Gate" },
        contacts: [called("Ada"), called("Desk")],
        note: "Left door",
        at: clock.now(),
        consoleUrl: `https://gateway.example/?camera=${cameraId}`,
        readersTimeZone: "Europe/Istanbul",
      },
    ]);
  });

  it("names the facility, and its last heartbeat", async () => {
    await outages.advance(silence);
    const facilityId = await outages.newFacility(clock.ago(silence));
    await outages.newCamera(facilityId, ["guard@test.example"]);
    await outages.advance(minute);
    const consoleUrl = `https://gateway.example/?view=fleet&facility=${facilityId}`;
    const offline = { kind: "FACILITY_OFFLINE", camera: null, at: clock.ago(silence + minute), consoleUrl };
    expect(await notifications(facilityId)).toMatchObject([offline]);
  });

  it("is no longer sent to an address that no camera names any more", async () => {
    const facilityId = await outages.newFacility();
    const cameraId = await outages.newCamera(facilityId, ["guard@test.example"]);
    await outages.setDetail(cameraId, "STREAM_ERROR");
    await gateway.prisma.camera.updateMany({
      where: { id: cameraId },
      data: { emailAddresses: ["lead@test.example"] },
    });
    expect(await notifications(facilityId)).toEqual([undefined]);
  });
});

describe.runIf(inject("resources").server)("two gateways sharing a database", () => {
  it("report each facility once", async () => {
    const own = new Clock();
    const site = await TestSite.forTest();
    const gateways = [
      await site.start(Outages.settings(own)),
      await site.start(Outages.settings(own)),
    ] as const;
    for (const each of gateways) onTestFinished(() => each.close());
    const one = await Outages.open(gateways[0], own);
    const facilityIds = await Promise.all(listOf(20, () => one.newFacility(own.now())));
    for (const facilityId of facilityIds) await one.newCamera(facilityId, ["guard@test.example"]);
    own.time += silence;
    await Promise.all([one.advance(0), one.at(gateways[1]).advance(0)]);
    for (const facilityId of facilityIds) expect(await one.told(facilityId)).toHaveLength(1);
  });
});
