// Runs on the embedded database: only its demo is alive.
// Takes long: it lives through days of the demo.

import { createAlerts, createApiKey } from "../support/factories.js";
import { type Gateway, gatewayForTest, type Sender } from "../support/harness.js";
import { listOf } from "../support/list-of.js";

const second = 1_000;
const streamError = "STREAM_ERROR";

interface Fleet {
  facilities: { online: boolean; cameras: { name: string; statusDetail: string }[] }[];
  workspace: { alerts: { totalCount: number; nodes: Raised[] } };
}

interface Raised {
  id: string;
  createdAt: string;
  facilityId: string;
  url: string;
  alertRule: { name: string; emails: string[]; areas: { id: string; points: object[] }[] };
  areaIds: string[];
  area: object[];
  name: string;
  info: { objects: { attributes: object }[] };
  deliveries: object[];
}

const query = `{
  facilities { online cameras { name statusDetail } }
  workspace { alerts(first: 5) { totalCount nodes {
    id createdAt facilityId url name info areaIds area { x y }
    alertRule { name emails areas { id points { x y } } } deliveries { id }
  } } }
}`;

/** A living demo whose clock is moved. */
class LivingDemo {
  private constructor(
    readonly gateway: Gateway,
    private readonly clock: { time: number },
    private readonly as: Sender,
    readonly workspaceId: string,
  ) {}

  static async start(): Promise<LivingDemo> {
    const clock = { time: Date.now() };
    const environment = {
      DEMO_LIVE: "on",
      SMTP_URL: "smtp://127.0.0.1:9",
      MAIL_FROM: "gateway@demo.example",
    };
    const gateway = await gatewayForTest({ seed: "demo", now: () => new Date(clock.time), environment });
    const { workspaceId } = await gateway.prisma.user.findFirstOrThrow({ where: { authId: "demo|admin" } });
    // A token would be used beyond its lifetime.
    const as = await createApiKey(gateway.prisma, {
      workspaceId,
      permissions: ["facilities:read", "cameras:read", "alerts:read", "alerts:write"],
    });
    return new LivingDemo(gateway, clock, as, workspaceId);
  }

  /**
   * Advances the clock, and waits until the detector has done its due work. Any write
   * wakes the workers.
   */
  async pass(seconds: number): Promise<Fleet> {
    this.clock.time += seconds * second;
    const { gateway, as } = this;
    const { cameras } = await gateway.data<{ cameras: { id: string }[] }>("{ cameras { id } }", { as });
    const request = "mutation ($id: UUID!) { createAlertUpload(cameraId: $id) { uploadId } }";
    await gateway.data(request, { as, variables: { id: (cameras[0] as { id: string }).id } });
    await gateway.app.idle();
    return gateway.data<Fleet>(query, { as });
  }
}

it("the demo raises alerts, sends heartbeats and loses streams for a while, keeps the newest alerts, and notifies nobody", {
  timeout: 120_000,
}, async () => {
  const demo = await LivingDemo.start();
  const { prisma } = demo.gateway;
  const startedAt = new Date();
  // The facility without heartbeats is real to the gateway.
  const told = () =>
    prisma.delivery.count({ where: { kind: { not: "FACILITY_OFFLINE" }, createdAt: { gte: startedAt } } });
  const before = await demo.pass(0);
  expect(before.workspace.alerts.totalCount).toBe(20_000);
  expect(before.facilities.map(({ online }) => online).sort()).toEqual([false, true, true, true]);

  const { facilities, workspace } = await demo.pass(300);
  expect(facilities.map(({ online }) => online).sort()).toEqual([false, true, true, true]);
  // Areas overlap: what one rule is about may break another one, too.
  expect([20_001, 20_002]).toContain(workspace.alerts.totalCount);
  const [raised] = workspace.alerts.nodes as [Raised];
  expect(raised).toMatchObject({
    name: raised.alertRule.name,
    info: { source: "detections" },
    deliveries: [],
  });
  // Several may stand together.
  expect(raised.info.objects.length).toBeGreaterThan(0);
  for (const { attributes } of raised.info.objects) expect(attributes).toEqual({ simulated: true });
  const [area] = raised.alertRule.areas as [Raised["alertRule"]["areas"][number]];
  expect({ ids: raised.areaIds, area: raised.area }).toEqual({ ids: [area.id], area: area.points });
  expect((await fetch(raised.url)).headers.get("content-type")).toBe("image/jpeg");

  const lost = (fleet: Fleet) =>
    fleet.facilities
      .flatMap(({ cameras }) => cameras)
      .filter(({ statusDetail }) => statusDetail === streamError).length;
  expect(lost({ facilities, workspace })).toBe(lost(before) + 1);
  expect(lost(await demo.pass(300))).toBe(lost(before));

  const template = await prisma.alert.findFirstOrThrow({ where: { id: raised.id } });
  const { workspaceId, facilityId, cameraId } = template;
  const times = listOf(2_000, (index) => new Date(template.createdAt.getTime() - index - 1));
  await createAlerts(
    prisma,
    times.map((createdAt, index) => ({
      workspaceId,
      facilityId,
      cameraId,
      createdAt,
      info: raised.info,
      bookmark: index === 1_999,
    })),
  );
  await createAlerts(prisma, [{ workspaceId, facilityId, cameraId, createdAt: times.at(-1) as Date }]);
  // The seeded alerts, the newest 2,000 of the detector, a bookmarked one, and one that
  // is not the detector's.
  expect((await demo.pass(45)).workspace.alerts.totalCount).toBe(22_002);
  expect(await told()).toBe(0);

  await prisma.apiKey.updateMany({
    where: { workspaceId, name: "Demo key" },
    data: { revokedAt: new Date(0) },
  });
  expect((await demo.pass(45)).workspace.alerts.totalCount).toBe(22_002);
});
