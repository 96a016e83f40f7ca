// Runs once: no database can influence what is tested here.
// Takes long: it starts processes.
import { createHook } from "node:async_hooks";
import { readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { inject } from "vitest";
import { readEnvironment } from "../../src/engine/settings/environment.js";
import { type App, createApp } from "../../src/programs/gateway/app.js";
import { startIssuer } from "../access/issuer-server.js";
import { onServer } from "../support/databases.js";
import { testSecrets } from "../support/environment.js";
import { dataForTest } from "../support/harness.js";
import { listenForTest } from "../support/listening.js";

const { server } = inject("resources");
const redisUrl = process.env.TEST_REDIS_URL;

type Variables = Record<string, string>;

/** A reason why a gateway cannot start on the given data. */
interface StartFailure {
  reason: string;
  /** Causes the failure, and returns the settings that run into it. */
  cause: (directory: string) => Promise<Variables>;
  message: RegExp;
  remedy?: (directory: string) => Promise<unknown>;
}

const failures: StartFailure[] = [
  {
    reason: "discovery names another issuer than AUTH_ISSUER",
    cause: async () => {
      const issuer = await startIssuer([]);
      onTestFinished(() => issuer.close());
      issuer.name = "https://id.example/";
      return { AUTH_JWT_SECRET: "", AUTH_ISSUER: issuer.url, AUTH_AUDIENCE: "cameras" };
    },
    message:
      /^AUTH_ISSUER is http:\/\/127\.0\.0\.1:\d+, but \S+ names the issuer https:\/\/id\.example\/: set AUTH_ISSUER to/,
  },
  {
    reason: "its port is in use",
    cause: async () => ({ PORT: String(await listenForTest(createServer())) }),
    message:
      /^Port \d+ on 127\.0\.0\.1 is already in use\. Stop the other process, or set PORT to another port\.$/,
  },
  {
    reason: "HOST is not an address of this machine",
    cause: async () => ({ HOST: "192.0.2.1" }),
    message: /^Cannot listen on 192\.0\.2\.1:0, from HOST and PORT: .*EADDRNOTAVAIL/,
  },
  {
    reason: "the directory for temporary files cannot be created",
    cause: async (directory) => {
      await rm(path.join(directory, "temporary"), { recursive: true, force: true });
      await writeFile(path.join(directory, "temporary"), "");
      return {};
    },
    message: /ENOTDIR|EEXIST/,
    remedy: (directory) => rm(path.join(directory, "temporary")),
  },
  {
    reason: "the bucket for the demo's images is unreachable",
    cause: async () => {
      for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]) vi.stubEnv(name, "S3RVER");
      onTestFinished(() => void vi.unstubAllEnvs());
      return { SEED: "demo", S3_BUCKET: "pictures", S3_ENDPOINT: "http://127.0.0.1:9" };
    },
    message: /ECONNREFUSED/,
  },
];

const embeddedFailures: StartFailure[] = [
  {
    reason: "an applied migration was changed",
    cause: async (directory) => {
      await changeChecksums(directory);
      return {};
    },
    message: /^Migration \S+ was changed after it had been applied/,
    remedy: changeChecksums,
  },
];

it("a gateway that fails to start leaves nothing open, so that another can start on the same data", async () => {
  // The next start would run into anything that one had left open, such as the lock on
  // the embedded database.
  const data = await dataForTest();
  const directory = data.DATA_DIR as string;
  const timers: { reason: string; active: () => string[] }[] = [];
  for (const failure of server ? failures : [...failures, ...embeddedFailures]) {
    const { reason } = failure;
    const unusable = await failure.cause(directory);
    const before = activeResources();
    const { active, stop } = trackTimers();
    await expect(start({ ...data, ...unusable }), reason).rejects.toThrow(failure.message);
    stop();
    timers.push({ reason, active });

    await expect.poll(() => without(activeResources(), before), { message: reason }).toEqual([]);
    if (data.DATABASE_URL)
      await expect.poll(() => connectionsTo(data.DATABASE_URL as string), { message: reason }).toEqual([]);
    await failure.remedy?.(directory);
    expect(await readdir(path.join(directory, "temporary")).catch(() => []), reason).toEqual([]);
    if (!server)
      expect(
        (await readdir(directory)).filter((name) => name.startsWith("lock")),
        reason,
      ).toEqual([]);
  }
  // Deadlines of requests may pass only afterwards, in seconds: expect those of all
  // failures at once.
  for (const { reason, active } of timers) await expect.poll(active, { message: reason }).toEqual([]);

  const app = await start(data);
  expect((await fetch(`${app.url}/readyz`)).status).toBe(200);
  await app.close();
});

function start(variables: Variables): Promise<App> {
  const settings = {
    ...testSecrets,
    CAMERA_FEED: "off",
    SEED: "none",
    PORT: "0",
    LOG_LEVEL: "silent",
    ...(redisUrl && { REDIS_URL: redisUrl }),
    ...variables,
  };
  return createApp(readEnvironment(settings));
}

/** Reverses the checksums of the applied migrations; a second call restores them. */
async function changeChecksums(directory: string): Promise<void> {
  const database = await PGlite.create(path.join(directory, "postgresql"));
  await database.exec(`UPDATE "_prisma_migrations" SET "checksum" = reverse("checksum")`);
  await database.close();
}

/**
 * Sockets, files and the like. Timers are tracked one by one, because `expect.poll` has
 * its own.
 */
const activeResources = () => process.getActiveResourcesInfo().filter((type) => type !== "Timeout");

function connectionsTo(url: string): Promise<Record<string, unknown>[]> {
  return onServer(
    url,
    `SELECT application_name FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
}

/** The multiset difference of two lists. */
function without(items: readonly string[], others: readonly string[]): string[] {
  const remaining = [...others];
  return items.filter((item) => {
    const index = remaining.indexOf(item);
    if (index >= 0) remaining.splice(index, 1);
    return index < 0;
  });
}

/** Tracks timers created until `stop` is called, including unreferenced ones. */
function trackTimers() {
  const active = new Map<number, string>();
  const created = createHook({
    init: (id, type) => {
      if (type === "Timeout")
        active.set(id, new Error("A timer that is still active was created here").stack ?? "");
    },
  }).enable();
  const destroyed = createHook({ destroy: (id) => void active.delete(id) }).enable();
  onTestFinished(() => void destroyed.disable());
  return { active: () => [...active.values()], stop: () => void created.disable() };
}
