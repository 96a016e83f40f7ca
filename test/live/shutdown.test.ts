// Runs once: no database can influence what is tested here.
import { WebSocket } from "ws";
import { createAdmin, createFacility, createWorkspace } from "../support/factories.js";
import { TestSite } from "../support/test-site.js";
import { openSocket, subscriber } from "./live-socket.js";

it("a gateway that is about to close accepts no new sockets while open ones continue, and then ends every socket with 1001 and does not wait for unresponsive ones", async () => {
  const testSite = await TestSite.open();
  try {
    const gateway = await testSite.start({ socketCloseTimeoutMs: 200 });
    const workspaceId = await createWorkspace(gateway.prisma);
    await createFacility(gateway.prisma, { workspaceId });
    const { as } = await createAdmin(gateway.prisma, workspaceId);
    const live = await openSocket(gateway, { as });
    const clients = [
      await subscriber(gateway, as, "subscription { facilityHeartbeat { id } }"),
      live,
      await openSocket(gateway),
    ];
    const stalled = await openSocket(gateway, { as });
    stalled.socket.pause();
    const closing = gateway.app.close({ shutdownDelay: 1_000 });
    await expect(openSocket(gateway)).rejects.toThrow('"status":503');
    live.send({ type: "ping" });
    await live.received("pong");
    await closing;
    const ended = { code: 1001, reason: "The gateway is shutting down" };
    expect(await Promise.all(clients.map((client) => client.closed()))).toEqual([ended, ended, ended]);
    expect(stalled.socket.readyState).not.toBe(WebSocket.CLOSED);
  } finally {
    await testSite.remove();
  }
});
