// Runs once: no database can influence what is tested here.
// Takes long: it sends until the buffers of a connection are full.
import { randomUUID } from "node:crypto";
import { createCompleteFacility } from "../support/complete-facility.js";
import { createAdmin, createWorkspace } from "../support/factories.js";
import { gatewayForTest } from "../support/harness.js";
import { raiseAlerts } from "./alerts.js";
import { metric, subscriber } from "./live-socket.js";

it("drops a subscriber that does not read, while others with the same subscription continue", async () => {
  const gateway = await gatewayForTest({ environment: { SOCKET_BACKLOG: "20" } });
  const workspaceId = await createWorkspace(gateway.prisma);
  const site = await createCompleteFacility(gateway.prisma, {
    workspaceId,
    name: "Site",
    alerts: 0,
    newest: "2026-11-20T12:00:00Z",
  });
  const { as } = await createAdmin(gateway.prisma, workspaceId);
  const query = "subscription { alertRaised { id info } }";
  const [slow, quick] = [await subscriber(gateway, as, query), await subscriber(gateway, as, query)];
  slow.socket.pause();
  // The buffers of a connection hold more than 100 MB on some systems.
  const info = { text: randomUUID().repeat(25_000) };
  const ids: string[] = [];
  const sockets = () => metric(gateway, "gateway_sockets_open");
  while ((await sockets()) === 2) {
    ids.push(...(await raiseAlerts(gateway, workspaceId, site, [{ info }])));
    await expect.poll(() => quick.ids()).toEqual(ids);
  }
  expect(await metric(gateway, "gateway_sockets_closed_total")).toBe(1);
  expect(quick.ended).toBeUndefined();
  slow.socket.resume();
  expect((await slow.closed()).code).not.toBe(1000);
  expect(slow.results().length).toBeLessThan(ids.length);
}, 60_000);
