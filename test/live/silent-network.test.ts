// Takes long: it waits for a network that does not answer.
import { EventEmitter } from "node:events";
import { inject } from "vitest";
import { connectionConfig } from "../../src/engine/database/client.js";
import { Connection } from "../../src/engine/database/connection.js";
import type { ChannelEmitter, EventChannel } from "../../src/engine/events/event-channel.js";
import { PostgresqlChannel } from "../../src/engine/events/postgresql-channel.js";
import { RedisChannel } from "../../src/engine/events/redis-channel.js";
import { openRedis } from "../../src/platform/network/redis.js";
import { createLog } from "../../src/platform/telemetry/log.js";
import { createAdmin, createFacility, createWorkspace } from "../support/factories.js";
import { gatewayForTest, run } from "../support/harness.js";
import { TcpProxy } from "../support/tcp-proxy.js";
import { heartbeat } from "./live-socket.js";

const { server } = inject("resources");
const redisUrl = process.env.TEST_REDIS_URL;
const log = createLog("silent");

/** The channels that cross a network: the server's URL, and how one is opened. */
const channels: [string, string, (url: string, emitter: ChannelEmitter) => Promise<EventChannel>][] = [];
if (server)
  channels.push([
    "postgresql",
    server.url,
    (url, emitter) =>
      PostgresqlChannel.open(
        (settings) => new Connection({ ...connectionConfig({ url, connectTimeoutMs: 5_000 }), ...settings }),
        emitter,
        log,
      ),
  ]);
if (server && redisUrl)
  channels.push([
    "redis",
    redisUrl,
    async (url, emitter) => {
      const redis = await openRedis(url, log);
      onTestFinished(() => redis.disconnect());
      return RedisChannel.open(redis, emitter, log);
    },
  ]);

it.each(channels)(
  "events by %s: a connection that the network has forgotten is replaced, and subscribers learn that they missed events",
  async (_name, serverUrl, open) => {
    const proxy = await TcpProxy.open(serverUrl);
    onTestFinished(() => proxy.disconnect());
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const emitter: ChannelEmitter = new EventEmitter();
    const channel = await open(proxy.url, emitter);
    onTestFinished(() => channel.close());
    await expect.poll(() => channel.isConnected).toBe(true);
    proxy.vanish("open");
    let isResumed = false;
    emitter.once("resumed", () => {
      isResumed = true;
    });
    let milliseconds = 0;
    await expect
      .poll(async () => {
        milliseconds += 100;
        await vi.advanceTimersByTimeAsync(100);
        return isResumed;
      })
      .toBe(true);
    expect(milliseconds).toBeLessThan(30_000);
    await expect.poll(() => channel.isConnected).toBe(true);
  },
);

it.runIf(server && redisUrl)("a silent Redis delays requests and writes only briefly", async () => {
  const proxy = await TcpProxy.open(redisUrl as string);
  onTestFinished(() => proxy.disconnect());
  const gateway = await gatewayForTest({
    environment: { REDIS_URL: proxy.url, RATE_LIMIT: "on" },
  });
  const workspaceId = await createWorkspace(gateway.prisma);
  const facilityId = await createFacility(gateway.prisma, { workspaceId });
  const admin = await createAdmin(gateway.prisma, workspaceId);
  await run(gateway, admin, heartbeat(facilityId));
  proxy.vanish("all");
  // The first waits for Redis to count it and to take its event, the second no more.
  await run(gateway, admin, heartbeat(facilityId));
  await run(gateway, admin, heartbeat(facilityId));
});
