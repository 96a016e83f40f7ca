import { once } from "node:events";
import { connect } from "node:net";
import path from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { signToken } from "../../src/engine/access/jwt.js";
import {
  benchUser,
  createEmbeddedDatabase,
  type DatasetSize,
  datasetEnd,
  loadDataset,
} from "../bench/dataset.js";
import { idKinds, idOf } from "../bench/dataset-ids.js";
import type { MeasuredProcess } from "../bench/measured-process.js";
import { startBuild } from "../bench/start-build.js";
import { hasFfmpeg } from "../feed/switched-camera.js";
import { sendRaw } from "../http/raw-request.js";
import { ffmpegPath } from "../support/cameras/camera-programs.js";
import { onServer } from "../support/databases.js";
import { testSecrets } from "../support/environment.js";
import { plainPng } from "../support/png.js";
import type { TcpProxy } from "../support/tcp-proxy.js";
import { encodeBody, formType } from "../uploads/multipart.js";
import type { Probe } from "./probes.js";

/**
 * The proxy whose `X-Forwarded-For` the gateway believes: no other client may come from
 * this address.
 */
export const trustedProxy = "127.0.9.1";
/** The address of cameras. */
export const cameraAddress = "127.0.2.1";
/** The server that the gateway sends mails to. */
export const mailServer = { host: "127.0.2.2", port: 2525 };
/** The source address of the other client. */
export const bystanderAddress = "127.0.0.2";

const bystander = "attack|bystander";
const bystanderWorkspace = idOf(idKinds.workspace, 2);
export const bystanderFacility = idOf(idKinds.facility, 4_001);
const bystanderCamera = idOf(idKinds.camera, 4_001);
const userCount = 400;
const recoveryMs = 20_000;

/** The address of all users of attackers. */
export const attackerEmail = "attack@test.example";

/** Adds the users of attackers, and a bystander in another workspace. */
const additions = [
  `INSERT INTO "User" ("id", "workspaceId", "authId", "email", "roles", "updatedAt")
   SELECT gen_random_uuid(), "workspaceId", 'attack|' || kind || '-' || n, '${attackerEmail}', CASE kind WHEN 'all' THEN "roles" ELSE '{}' END, now()
   FROM "User", generate_series(1, ${userCount}) n, unnest(ARRAY['all', 'none']) kind WHERE "authId" = '${benchUser}'`,
  `INSERT INTO "Workspace" ("id", "name") VALUES ('${bystanderWorkspace}', 'Bystander')`,
  `INSERT INTO "User" ("id", "workspaceId", "authId", "email", "roles", "updatedAt")
   SELECT gen_random_uuid(), '${bystanderWorkspace}', '${bystander}', 'bystander@test.example', "roles", now() FROM "User" WHERE "authId" = '${benchUser}'`,
  `INSERT INTO "AuthIdLookup" SELECT "authId", "workspaceId", "id" FROM "User" ON CONFLICT DO NOTHING`,
  `INSERT INTO "EmailLookup" SELECT "email", "workspaceId", "id" FROM "User"`,
  `INSERT INTO "Facility" ("id", "workspaceId", "name", "timeZoneId", "updatedAt")
   VALUES ('${bystanderFacility}', '${bystanderWorkspace}', 'Bystander', 'Europe/Amsterdam', now())`,
  `INSERT INTO "Camera" ("id", "workspaceId", "facilityId", "name", "updatedAt")
   VALUES ('${bystanderCamera}', '${bystanderWorkspace}', '${bystanderFacility}', 'Bystander', now())`,
];

/** The period of all alerts. */
export const wholePeriod = {
  start: new Date(0).toISOString(),
  end: new Date(datasetEnd.getTime() + 30 * 86_400_000).toISOString(),
};
const wholePeriodQuery = `start=0&end=${new Date(wholePeriod.end).getTime()}`;

/**
 * The gateway under attack, and a bystander in another workspace.
 */
export class Target {
  #gateway: MeasuredProcess | undefined;
  #users = 0;
  #starts = 0;

  private constructor(
    /** The database on a server; undefined for the embedded one. */
    private readonly database: string | undefined,
    private readonly directory: string,
    private readonly authorization: string,
  ) {}

  /**
   * Fills the database on a server, or an embedded one without, with the data set and the
   * users.
   */
  static async prepare(directory: string, size: DatasetSize, database?: string): Promise<Target> {
    if (database) {
      await loadDataset(database, size);
      for (const statement of additions) await onServer(database, statement);
    } else await createEmbeddedDatabase(directory, size, additions);
    return new Target(database, directory, await authorizationOf(bystander));
  }

  /**
   * Runs a statement on the database of a server, for rows that an older version may have
   * left.
   */
  sql(statement: string): Promise<Record<string, unknown>[]> {
    if (!this.database) throw new Error("The gateway itself has the database");
    return onServer(this.database, statement);
  }

  get url(): string {
    return this.process.url;
  }

  get process(): MeasuredProcess {
    if (!this.#gateway) throw new Error("The gateway has not been started");
    return this.#gateway;
  }

  get isAlive(): boolean {
    const { exitCode, signalCode } = this.process.child;
    return exitCode === null && signalCode === null;
  }

  /**
   * Starts a gateway in the place of the last one, and sends it requests of all kinds.
   * With a proxy, it reaches its database through that.
   */
  async start(proxy?: TcpProxy): Promise<void> {
    await this.stop();
    // The last gateway may have left its socket behind.
    this.#starts += 1;
    const environment = {
      ...testSecrets,
      ...(hasFfmpeg
        ? { CAMERA_FEED: "builtin", FFMPEG_PATH: ffmpegPath, CAMERA_ALLOWED_NETWORKS: `${cameraAddress}/32` }
        : { CAMERA_FEED: "off" }),
      FEDERATION: "on",
      SMTP_URL: `smtp://${mailServer.host}:${mailServer.port}`,
      MAIL_FROM: "gateway@test.example",
      NODE_ENV: "production",
      ...(this.database && { DATABASE_URL: proxy?.url ?? this.database }),
      DATA_DIR: this.directory,
      PORT: "0",
      LOG_LEVEL: "warn",
      SHUTDOWN_DELAY: "0",
      TRUST_PROXY: trustedProxy,
      MEMORY_REPORT_SOCKET: this.#memorySocket,
    };
    this.#gateway = await startBuild(".", environment, [
      "--import",
      fileURLToPath(new URL("./report-memory.mjs", import.meta.url)),
    ]);
    for (let round = 0; round < 3; round += 1)
      for (const probe of Object.values(this.probes)) await this.#succeed(probe);
  }

  async stop(): Promise<void> {
    if (!this.#gateway || !this.isAlive) return;
    // It may be in no state to end by itself.
    const kill = setTimeout(() => this.process.child.kill("SIGKILL"), 5_000);
    await this.process.stop();
    clearTimeout(kill);
  }

  /** The Authorization header of a user who has not been used before. */
  newUser(permissions: "all" | "none"): Promise<string> {
    this.#users += 1;
    if (this.#users > userCount) throw new Error(`There are only ${userCount} users`);
    return authorizationOf(`attack|${permissions}-${this.#users}`);
  }

  /** Memory in use on the heap and outside of it after a collection, in bytes. */
  async memory(): Promise<number> {
    const socket = connect(this.#memorySocket);
    const { heapUsed, external } = JSON.parse(await text(socket)) as NodeJS.MemoryUsage;
    return heapUsed + external;
  }

  /** The bystander's requests. */
  get probes(): Record<"healthz" | "query" | "upload" | "export", Probe> {
    const headers = { authorization: this.authorization };
    const picture = encodeBody([
      { name: "image", filename: "picture.png", type: "image/png", content: plainPng() },
    ]);
    const query = JSON.stringify({ query: "{ me { id } cameras { id name facility { id } } }" });
    const often = { intervalMs: 20, keepsConnection: true };
    const seldom = { intervalMs: 250, keepsConnection: false };
    const base64 = (content: string | Buffer) => Buffer.from(content as string).toString("base64");
    return {
      healthz: {
        name: "healthz",
        method: "GET",
        path: "/healthz",
        headers: {},
        ...often,
        keepsConnection: false,
      },
      query: {
        name: "query",
        method: "POST",
        path: "/graphql",
        headers: { ...headers, "content-type": "application/json" },
        body: base64(query),
        ...often,
      },
      upload: {
        name: "upload",
        method: "PATCH",
        path: "/user/picture",
        headers: { ...headers, "content-type": formType },
        body: base64(picture),
        ...seldom,
      },
      export: {
        name: "export",
        method: "GET",
        path: `/alerts/export?${wholePeriodQuery}`,
        headers,
        ...seldom,
      },
    };
  }

  /**
   * Waits until everything works again. After 20 seconds, returns a description of
   * whatever still fails.
   */
  async recover(): Promise<string | undefined> {
    const deadline = performance.now() + recoveryMs;
    const ready: Probe = { ...this.probes.healthz, name: "readyz", path: "/readyz" };
    for (;;) {
      try {
        for (const probe of [ready, ...Object.values(this.probes)]) await this.#succeed(probe);
        return undefined;
      } catch (error) {
        if (!this.isAlive || performance.now() > deadline) return (error as Error).message;
        await sleep(250);
      }
    }
  }

  async #succeed({ name, method, path, headers, body }: Probe): Promise<void> {
    const request = {
      method,
      path,
      headers,
      localAddress: bystanderAddress,
      ...(body !== undefined && { body: Buffer.from(body, "base64") }),
    };
    const answer = await Promise.race([sendRaw(this.url, request), sleep(recoveryMs)]);
    if (answer?.status !== 200)
      throw new Error(
        `${name} gets ${answer ? `${answer.status}: ${answer.text.slice(0, 200)}` : "no answer"}`,
      );
  }

  get #memorySocket(): string {
    return path.join(this.directory, `memory-${this.#starts}.sock`);
  }
}

/** Resolves when a process has ended. Nothing waits for it once the signal is aborted. */
export const ended = (gateway: MeasuredProcess, signal: AbortSignal): Promise<unknown> =>
  once(gateway.child, "exit", { signal });

async function authorizationOf(authId: string): Promise<string> {
  return `Bearer ${await signToken(testSecrets.AUTH_JWT_SECRET, authId, 12 * 3600, new Date())}`;
}
