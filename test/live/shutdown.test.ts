import { expect, it } from "vitest";
import { WebSocket } from "ws";
import { permissions } from "../../src/access/permissions.js";
import { createFacility, createWorkspace } from "../support/factories.js";
import { newGround } from "../writes/ground.js";
import { newWriter } from "../writes/writer.js";
import { openSocket, subscriber } from "./live-socket.js";

it("a gateway that closes ends every socket with 1001, and does not wait for those that do not answer", async () => {
  const ground = await newGround();
  try {
    const gateway = await ground.start();
    const workspaceId = await createWorkspace(gateway.prisma, {});
    await createFacility(gateway.prisma, { workspaceId });
    const { as } = await newWriter(gateway.prisma, { workspaceId, roles: permissions });
    const lives = [
      await subscriber(gateway, as, "subscription { facilityHeartbeat { id } }"),
      await openSocket(gateway, { as }),
      await openSocket(gateway),
    ];
    const mute = await openSocket(gateway, { as });
    mute.socket.pause();
    await gateway.close();
    const ended = { code: 1001, reason: "The gateway is shutting down" };
    expect(await Promise.all(lives.map((live) => live.closed()))).toEqual([ended, ended, ended]);
    expect(mute.socket.readyState).not.toBe(WebSocket.CLOSED);
  } finally {
    await ground.remove();
  }
});

it("a gateway that is about to close opens no socket any more, while those that are open go on", async () => {
  const ground = await newGround();
  try {
    const gateway = await ground.start();
    const workspaceId = await createWorkspace(gateway.prisma, {});
    const { as } = await newWriter(gateway.prisma, { workspaceId, roles: permissions });
    const live = await openSocket(gateway, { as });
    const closing = gateway.app.close({ farewell: 1_000 });
    await expect(openSocket(gateway)).rejects.toThrow('"status":503');
    live.send({ type: "ping" });
    await live.received("pong");
    await closing;
    expect(await live.closed()).toMatchObject({ code: 1001 });
  } finally {
    await ground.remove();
  }
});
