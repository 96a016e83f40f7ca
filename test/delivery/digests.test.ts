// Runs once: both kinds of databases run the same statements.
// Takes long: it lives through days of many readers.
import { randomUUID } from "node:crypto";
import { inject } from "vitest";
import { signToken } from "../../src/engine/access/jwt.js";
import { type Permission, permissions } from "../../src/engine/access/permissions.js";
import type { Prisma } from "../../src/generated/prisma/client.js";
import { testSecrets } from "../support/environment.js";
import {
  createAlerts,
  createApiKey,
  createCamera,
  createFacility,
  createUser,
  createWorkspace,
  grantAccess,
} from "../support/factories.js";
import { type Gateway, type GatewayOptions, run, type Sender, startGateway } from "../support/harness.js";
import { TestSite } from "../support/test-site.js";
import { Mailbox } from "./personal-mail-site.js";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** A clock that is moved. */
class Clock {
  time = Date.parse("2026-11-19T12:00:00Z");
  readonly now = () => new Date(this.time);
}

/** The settings of a gateway that sends its mails to the mailbox. */
const mailSettings = (clock: Clock, environment: Record<string, string> = {}): GatewayOptions => ({
  now: clock.now,
  environment: { ...mailbox.settings, PUBLIC_URL: "https://gateway.example", ...environment },
});

/** A workspace with a facility and a camera, whose gateway's clock is moved. */
class Plant {
  private constructor(
    readonly gateway: Gateway,
    readonly clock: Clock,
    readonly workspaceId: string,
    readonly facilityId: string,
    readonly cameraId: string,
    private readonly key: Sender,
  ) {}

  static async open(gateway: Gateway, clock: Clock): Promise<Plant> {
    const { prisma } = gateway;
    const workspaceId = await createWorkspace(prisma, { name: "Ada's plants" });
    const facilityId = await createFacility(prisma, { workspaceId, name: "Berlin" });
    const cameraId = await createCamera(prisma, { workspaceId, facilityId, name: "Gate" });
    const key = await createApiKey(prisma, { workspaceId, permissions: [...permissions] });
    return new Plant(gateway, clock, workspaceId, facilityId, cameraId, key);
  }

  /** The same workspace at another gateway of its database. */
  at(gateway: Gateway): Plant {
    return new Plant(gateway, this.clock, this.workspaceId, this.facilityId, this.cameraId, this.key);
  }

  /**
   * A user who gets a digest at 07:00 in Istanbul, which is 04:00 UTC, unless told
   * otherwise.
   */
  async reader({
    digest = {},
    roles = [...permissions],
    at,
    ...values
  }: {
    digest?: object;
    roles?: Permission[];
    at?: string;
    locale?: string;
  } = {}) {
    const { workspaceId } = this;
    const authId = `reader|${randomUUID()}`;
    const email = `${randomUUID()}@test.example`;
    const id = await createUser(this.gateway.prisma, { workspaceId, authId, email, roles, ...values });
    if (at) {
      const actions: Permission[] = ["alerts:read"];
      await grantAccess(this.gateway.prisma, { userId: id, workspaceId, facilityId: at, actions });
    }
    await this.setDigest(authId, digest);
    return { id, authId, email };
  }

  async setDigest(authId: string, digest: object): Promise<void> {
    const token = await signToken(testSecrets.AUTH_JWT_SECRET, authId, 3600, this.clock.now());
    await run(this.gateway, { as: { authorization: `Bearer ${token}` } }, [
      "mutation ($input: DigestInput!) { setDigest(input: $input) { id } }",
      { input: { enabled: true, timeZoneId: "Europe/Istanbul", ...digest } },
    ]);
  }

  /** Raises an alert some time before now. */
  async raise(ago: number, values: Partial<Prisma.AlertUncheckedCreateInput> = {}): Promise<void> {
    const { workspaceId, facilityId, cameraId } = this;
    const createdAt = new Date(this.clock.time - ago);
    await createAlerts(this.gateway.prisma, [{ workspaceId, facilityId, cameraId, createdAt, ...values }]);
  }

  /** Lets time pass, until nothing is left to send for now. */
  async advance(milliseconds: number): Promise<void> {
    this.clock.time += milliseconds;
    await run(this.gateway, { as: this.key }, [
      "mutation ($id: UUID!) { createAlertUpload(cameraId: $id) { uploadId } }",
      { id: this.cameraId },
    ]);
    await this.gateway.app.idle();
  }

  /** Lets time pass until it is a time of UTC. */
  async advanceTo(time: string): Promise<void> {
    const today = Date.parse(`${this.clock.now().toISOString().slice(0, 10)}T${time}Z`);
    const next = today > this.clock.time ? today : today + day;
    await this.advance(next - this.clock.time);
  }
}

/** A workspace at a gateway of its own. */
async function ownPlant(own: Clock, environment: Record<string, string> = {}): Promise<Plant> {
  const started = await startGateway(mailSettings(own, environment));
  onTestFinished(() => started.close());
  return Plant.open(started, own);
}

const clock = new Clock();

let plant: Plant;
const mailbox = await Mailbox.open();
const gateway = await startGateway(mailSettings(clock));
afterAll(async () => {
  await gateway.close();
  await mailbox.close();
});
beforeEach(async () => {
  mailbox.isAway = false;
  // Those of the tests before would be sent each day, too.
  await gateway.prisma.digest.deleteMany();
  plant = await Plant.open(gateway, clock);
});

describe("a digest", () => {
  it("tells open alerts by severity and facility, the worst hour, and what is away and since when", async () => {
    const clock = new Clock();
    const plant = await ownPlant(clock);
    const { workspaceId, facilityId, cameraId } = plant;
    const { prisma } = plant.gateway;
    const { email } = await plant.reader();
    await plant.advanceTo("03:59");
    const other = await createFacility(prisma, {
      workspaceId,
      name: "Ankara",
      lastHeartbeatAt: new Date(clock.time - 3 * day),
      offlineToldAt: new Date(clock.time - 3 * day + 15 * minute),
    });
    const there = {
      facilityId: other,
      cameraId: await createCamera(prisma, { workspaceId, facilityId: other }),
    };
    await plant.raise(2 * hour, { severity: "HIGH" });
    await plant.raise(2 * hour + 10 * minute, { severity: "high" });
    await plant.raise(2 * hour + 20 * minute, { acknowledgedAt: clock.now() });
    await plant.raise(3 * hour, { severity: "CRITICAL", ...there });
    await plant.raise(4 * hour, { severity: "ODD", ...there });
    await plant.raise(5 * hour, there);
    for (const not of [{ observation: true }, { falsePositive: true }]) await plant.raise(hour, not);
    await plant.raise(25 * hour, { severity: "LOW" });
    const statusOf = (statusDetail: string, ago: number) => ({
      ...{ workspaceId, cameraId, statusDetail, source: "TRACKER", createdAt: new Date(clock.time - ago) },
    });
    await prisma.statusChange.createMany({
      data: [
        statusOf("STREAM_ERROR", 5 * day),
        statusOf("OPERATIONAL", 4 * day),
        statusOf("STREAM_ERROR", 2 * day),
        statusOf("STREAM_ERROR", day),
      ],
    });
    await prisma.camera.updateMany({ where: { workspaceId }, data: { statusDetail: "STREAM_ERROR" } });
    await plant.advance(minute);

    const [mail, ...others] = mailbox.to(email);
    expect(others).toEqual([]);
    expect(mail).toMatchObject({
      sender: "gateway@mail.example",
      subject: "5 open alerts, 1 facility away, 1 camera away · Ada's plants",
    });
    const at = (time: string) => encodeURIComponent(`2026-11-${time}:00.000Z`);
    const alerts = `open=true&from=${at("19T04:00")}&to=${at("20T04:00")}`;
    expect(mail?.text).toBe(`The last 24 hours
Ada's plants

When         Thu 19 Nov 2026, 07:00 to Fri 20 Nov 2026, 07:00
             (Europe/Istanbul, UTC+03:00)
Alerts       6, 5 of them open
Open         1 critical, 2 high, 1 of other severities, 1 without severity
Worst hour   04:00 to 05:00, 3 alerts
Open in all  6

Open alerts by facility
* 3 open  Ankara: 1 critical, 1 of other severities, 1 without severity
  Alerts: https://gateway.example/?view=alerts&facility=${other}&${alerts}
* 2 open  Berlin: 2 high
  Alerts: https://gateway.example/?view=alerts&facility=${facilityId}&${alerts}

Facility offline since
* 17 Nov, 06:59  Ankara
  Facility: https://gateway.example/?view=fleet&facility=${other}

No stream since
* 18 Nov, 06:59  Gate · Berlin
  Camera: https://gateway.example/?camera=${cameraId}

Open the alerts:
https://gateway.example/?view=alerts&${alerts}

Change or end this digest:
https://gateway.example/?view=settings&part=profile

-- 
You get this mail because you asked for a digest in your profile.
`);
    expect(mail?.html).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(mail?.html).toContain(">Open alerts by facility</h2>");
    expect(mail?.html).toContain(`href="https://gateway.example/?camera=${cameraId}"`);
  });

  it("is in German for users with a German locale", async () => {
    const { email } = await plant.reader({ locale: "de-AT" });
    await plant.raise(hour, { severity: "HIGH" });
    await plant.advanceTo("04:00");
    const [mail] = mailbox.to(email);
    expect(mail?.subject).toBe("1 offener Alarm · Ada's plants");
    expect(mail?.text).toContain("Offen              1 hoch\n");
    expect(mail?.html).toContain('<html lang="de">');
  });

  it("is not sent if nothing happened and nothing is away", async () => {
    const { email } = await plant.reader();
    await plant.advanceTo("03:00");
    for (const not of [{ observation: true }, { falsePositive: true }]) await plant.raise(hour, not);
    await plant.raise(25 * hour);
    await plant.advanceTo("04:00");
    expect(mailbox.to(email)).toEqual([]);
    await plant.raise(0, { acknowledgedAt: clock.now() });
    await plant.advanceTo("04:00");
    expect(mailbox.to(email).map(({ subject }) => subject)).toEqual(["1 alert, none open · Ada's plants"]);
  });

  it("tells what its user may see when it is sent, at the facilities that it is limited to, also if these are deleted", async () => {
    const { prisma } = gateway;
    const { workspaceId, facilityId } = plant;
    const other = await createFacility(prisma, { workspaceId, name: "Ankara" });
    const there = {
      facilityId: other,
      cameraId: await createCamera(prisma, { workspaceId, facilityId: other }),
    };
    const limitedTo = (facilityIds: string[]) => plant.reader({ digest: { facilityIds } });
    const [all, one, both] = [
      await plant.reader(),
      await limitedTo([other]),
      await limitedTo([other, facilityId]),
    ];
    const gone = await createFacility(prisma, { workspaceId });
    const narrowed = await limitedTo([gone]);
    await prisma.facility.updateMany({ where: { id: gone }, data: { removedAt: clock.now() } });
    const [granted, revoked, blind] = await Promise.all(
      [0, 1, 2].map(() => plant.reader({ roles: [], at: facilityId })),
    );
    const moved = await plant.reader({ roles: [], at: facilityId, digest: { facilityIds: [facilityId] } });
    await prisma.facilityAccess.deleteMany({ where: { workspaceId, userId: blind?.id ?? "" } });
    for (const userId of [revoked?.id ?? "", moved.id])
      await prisma.facilityAccess.updateMany({ where: { workspaceId, userId }, data: { facilityId: other } });
    await plant.advanceTo("03:00");
    await plant.raise(hour);
    await plant.raise(hour, there);
    await plant.advanceTo("04:00");
    const told = (reader: { email: string } | undefined) =>
      mailbox.to(reader?.email ?? "").map(({ text }) => text?.match(/Ankara|Berlin/g));
    expect([all, one, both, granted, revoked, narrowed, blind, moved].map(told)).toEqual([
      [["Ankara", "Berlin"]],
      [["Ankara"]],
      [["Ankara", "Berlin"]],
      [["Berlin"]],
      [["Ankara"]],
      [],
      [],
      [],
    ]);
  });
});

describe("a digest is sent", () => {
  it("once a day, and not again when its user sets another time that day", async () => {
    const { email, authId } = await plant.reader();
    await plant.advanceTo("03:00");
    await plant.raise(0);
    await plant.advanceTo("04:00");
    await plant.advance(minute);
    await plant.setDigest(authId, { at: "09:00" });
    await plant.advanceTo("06:00");
    expect(mailbox.to(email)).toHaveLength(1);
    await plant.advanceTo("04:00");
    await plant.raise(hour);
    await plant.advanceTo("06:00");
    expect(mailbox.to(email)).toHaveLength(2);
  });

  it.each([
    [59 * minute, 1],
    [61 * minute, 0],
  ])("at most an hour late: after %d ms %d times, and the next day again", async (late, times) => {
    const { email } = await plant.reader();
    await plant.advanceTo("03:00");
    await plant.raise(0);
    await plant.advanceTo("03:59");
    // Nothing runs meanwhile.
    await plant.advance(minute + late);
    expect(mailbox.to(email)).toHaveLength(times);
    await plant.advanceTo("03:00");
    await plant.raise(0);
    await plant.advanceTo("04:00");
    expect(mailbox.to(email)).toHaveLength(times + 1);
  });

  it("for today alone after days without a gateway", async () => {
    const { email } = await plant.reader();
    await plant.advanceTo("03:00");
    await plant.raise(-3 * day);
    await plant.advance(3 * day + hour + 30 * minute);
    const today = clock.now().toISOString().slice(0, 10);
    expect(mailbox.to(email).map(({ text }) => text?.match(/&to=(.{10})/)?.[1])).toEqual([today]);
  });

  it("when the mail server takes it again within an hour, and otherwise not at all", async () => {
    const [early, late] = [await plant.reader(), await plant.reader({ digest: { at: "07:30" } })];
    await plant.advanceTo("03:00");
    await plant.raise(0);
    mailbox.isAway = true;
    await plant.advanceTo("04:00");
    await plant.advanceTo("04:30");
    await plant.advanceTo("05:01");
    mailbox.isAway = false;
    await plant.advanceTo("05:25");
    expect(mailbox.to(early.email)).toEqual([]);
    expect(mailbox.to(late.email)).toHaveLength(1);
  });

  it.each<[string, (reader: { id: string; authId: string }) => Promise<unknown>]>([
    ["ended it", ({ authId }) => plant.setDigest(authId, { enabled: false })],
    ["was removed", ({ id }) => gateway.prisma.user.deleteMany({ where: { id } })],
    [
      "has no access any more",
      ({ id }) => gateway.prisma.user.updateMany({ where: { id }, data: { until: new Date(0) } }),
    ],
    [
      "has another address",
      ({ id }) => gateway.prisma.user.updateMany({ where: { id }, data: { email: "new@test.example" } }),
    ],
  ])("to nobody who meanwhile %s", async (_what, change) => {
    const reader = await plant.reader();
    await plant.advanceTo("03:00");
    await plant.raise(0);
    mailbox.isAway = true;
    await plant.advanceTo("04:00");
    await change(reader);
    mailbox.isAway = false;
    await plant.advance(10 * minute);
    expect([...mailbox.to(reader.email), ...mailbox.to("new@test.example")]).toEqual([]);
    const kept = { workspaceId: plant.workspaceId, kind: "DIGEST" };
    expect(await gateway.prisma.delivery.count({ where: kept })).toBe(0);
  });
});

describe.runIf(inject("resources").server)("two gateways sharing a database", () => {
  it("send each digest once, more of them than are queued at once", async () => {
    const own = new Clock();
    const site = await TestSite.forTest();
    const settings = mailSettings(own);
    const gateways = [await site.start(settings), await site.start(settings)] as const;
    for (const each of gateways) onTestFinished(() => each.close());
    const one = await Plant.open(gateways[0], own);
    const readers: Awaited<ReturnType<typeof one.reader>>[] = [];
    while (readers.length < 120) readers.push(await one.reader());
    await one.advanceTo("03:00");
    await one.raise(0);
    own.time += hour;
    await Promise.all([one.advance(0), one.at(gateways[1]).advance(0)]);
    await Promise.all(gateways.map((each) => each.app.idle()));
    const counts = readers.map(({ email }) => mailbox.to(email).length);
    expect(new Set(counts)).toEqual(new Set([1]));
  });
});
