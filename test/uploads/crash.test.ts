import path from "node:path";
import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { addressOf, gatewaySettings, startCommand } from "../operation/running-command.js";
import { authorizationOf, type Sender } from "../support/harness.js";
import { onServer } from "../support/templates.js";
import { newGround } from "../writes/ground.js";
import { outcomeOf } from "./doors.js";
import { misnamed } from "./hostile-parts.js";
import { multipart } from "./multipart.js";
import { sceneAs } from "./samples.js";
import { SlowClient, secondHalf, type WireAnswer } from "./slow-client.js";
import { createPeople, filesIn } from "./upload-site.js";
import { type Upload, uploadsOf, ways } from "./uploads-by-hand.js";

const { server } = inject("templates");
const admin: Sender = { user: "uploads|admin" };

let picture: Buffer;
beforeAll(async () => {
  picture = await sceneAs("jpeg");
});

/** A data directory with people who may upload, for gateways that run as processes of their own, one after the other. */
class Harbour {
  private constructor(
    readonly variables: Record<string, string>,
    readonly uploads: Record<(typeof ways)[number], Upload>,
  ) {}

  /** `prepare` is run in the database before any process starts. */
  static async forTest(prepare: string[] = []): Promise<Harbour> {
    const ground = await newGround();
    onTestFinished(() => ground.remove());
    const gateway = await ground.start();
    const ids = await createPeople(gateway.prisma);
    for (const sql of prepare) await gateway.prisma.$executeRawUnsafe(sql);
    await gateway.close();
    return new Harbour(ground.variables, uploadsOf(ids, picture));
  }

  async start() {
    const process = startCommand("main", { environment: gatewaySettings(this.variables) });
    return { process, address: await addressOf(process) };
  }

  files() {
    return filesIn(this.variables.DATA_DIR as string);
  }

  /** Runs a statement; on the embedded database no gateway may run meanwhile. */
  async query(sql: string): Promise<unknown[]> {
    if (this.variables.DATABASE_URL) return onServer(this.variables.DATABASE_URL, sql);
    const database = await PGlite.create(path.join(this.variables.DATA_DIR as string, "postgresql"));
    try {
      return (await database.query(sql)).rows;
    } finally {
      await database.close();
    }
  }

  async begin(address: string, { head }: Upload): Promise<SlowClient> {
    const client = await SlowClient.connect(address);
    await client.begin({ ...head, headers: { ...head.headers, authorization: (await authorizationOf(admin)) as string } });
    return client;
  }

  async sendHalf(address: string, upload: Upload): Promise<SlowClient> {
    const arrived = async () => (await this.files()).temporary.filter((name) => /(part|source)$/.test(name)).length;
    const before = await arrived();
    const client = await this.begin(address, upload);
    await client.send(upload.body.subarray(0, upload.fileAt + upload.fileLength / 2));
    await expect.poll(arrived, { interval: 5 }).toBe(before + 1);
    return client;
  }
}

const nothing = { stored: [], temporary: [] };
const counts = `SELECT (SELECT count(*) FROM "Camera")::int AS cameras, (SELECT count(*) FROM "User" WHERE "picture" IS NOT NULL)::int AS users,
  (SELECT count(*) FROM "ObjectRemoval")::int AS removals`;

it("a gateway that is killed in the middle of pictures leaves nothing behind once it has started again", async () => {
  const harbour = await Harbour.forTest();
  const first = await harbour.start();
  for (const way of ways) await harbour.sendHalf(first.address, harbour.uploads[way]);
  await first.process.kill();
  expect((await harbour.files()).temporary).not.toEqual([]);
  const second = await harbour.start();
  expect(await harbour.files()).toEqual(nothing);
  second.process.signal("SIGTERM");
  await second.process.ended;
  expect(await harbour.query(counts)).toEqual([{ cameras: 0, users: 0, removals: 0 }]);
});

describe("a gateway that is killed between storing a picture and keeping it", () => {
  const stored = [expect.stringMatching(/^cameras\/[0-9a-f-]{36}-picture\.jpg$/), expect.stringMatching(/^cameras\/[0-9a-f-]{36}-small\.webp$/)];

  it.runIf(!server)("deletes it as soon as it has started again", async () => {
    // The write that refers to the picture takes longer than the gateway lives.
    const harbour = await Harbour.forTest([
      `CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN LOOP EXIT WHEN clock_timestamp() > now() + interval '1 hour'; END LOOP; END $$`,
      'CREATE TRIGGER dawdle BEFORE INSERT ON "Camera" FOR EACH ROW EXECUTE FUNCTION dawdle()',
    ]);
    const first = await harbour.start();
    const upload = harbour.uploads["a camera by REST"];
    await (await harbour.begin(first.address, upload)).send(upload.body);
    await expect.poll(async () => (await harbour.files()).stored, { timeout: 10_000 }).toEqual(stored);
    await first.process.kill();
    expect(await harbour.query(counts)).toEqual([{ cameras: 0, users: 0, removals: 2 }]);
    const second = await harbour.start();
    await expect.poll(() => harbour.files()).toEqual(nothing);
    second.process.signal("SIGTERM");
    await second.process.ended;
    expect(await harbour.query(counts)).toEqual([{ cameras: 0, users: 0, removals: 0 }]);
  });

  it.runIf(server)("deletes it when its time is over, also by another gateway", async () => {
    const harbour = await Harbour.forTest();
    const first = await harbour.start();
    const holder = new pg.Client({ connectionString: harbour.variables.DATABASE_URL });
    await holder.connect();
    try {
      await holder.query('BEGIN; SELECT 1 FROM "Facility" FOR UPDATE');
      const upload = harbour.uploads["a camera by REST"];
      await (await harbour.begin(first.address, upload)).send(upload.body);
      await expect.poll(async () => (await harbour.files()).stored, { timeout: 10_000 }).toEqual(stored);
      await first.process.kill();
    } finally {
      await holder.end();
    }
    const second = await harbour.start();
    expect(await harbour.files()).toEqual({ stored, temporary: [] });
    expect(await harbour.query(counts)).toEqual([{ cameras: 0, users: 0, removals: 2 }]);
    await second.process.kill();
    // Stands for the five minutes that pass.
    await harbour.query(`UPDATE "ObjectRemoval" SET "dueAt" = "dueAt" - interval '5 minutes'`);
    await harbour.start();
    await expect.poll(() => harbour.files()).toEqual(nothing);
    await expect.poll(() => harbour.query(counts)).toEqual([{ cameras: 0, users: 0, removals: 0 }]);
  });
});

describe("a gateway as a process", () => {
  it("lets an upload under way finish when it is told to end, and leaves no directory of its own", async () => {
    const harbour = await Harbour.forTest();
    const { process, address } = await harbour.start();
    const upload = harbour.uploads["a camera by REST"];
    const client = await harbour.sendHalf(address, upload);
    process.signal("SIGTERM");
    await client.send(secondHalf(upload));
    expect(await outcomeOf((await client.answer()) as WireAnswer)).toMatchObject({ status: 200, code: "OK" });
    expect(await process.ended).toMatchObject({ code: 0, errors: "" });
    expect((await harbour.files()).temporary).toEqual([]);
    expect((await harbour.files()).stored).toHaveLength(2);
  });

  it("lives through whatever clients send and break off", async () => {
    const harbour = await Harbour.forTest();
    const { process, address } = await harbour.start();
    const headers = { ...multipart([]).headers, "apollo-require-preflight": "true", authorization: (await authorizationOf(admin)) as string };
    for (const [what, changes] of misnamed) {
      for (const first of [
        { name: "operations", content: "{}", ...changes },
        { name: "0", filename: "x", content: picture, ...changes },
      ]) {
        const body = multipart([first, { name: "map", content: "{}" }]).body;
        const answer = await fetch(`${address}/graphql`, { method: "POST", headers, body }).catch((error: Error) => error);
        expect(answer, what).toMatchObject({ status: 400 });
      }
    }
    for (const way of ways) {
      const upload = harbour.uploads[way];
      for (const part of [1, upload.fileAt, upload.fileAt + upload.fileLength / 2, upload.body.length - 1, upload.body.length]) {
        const client = await harbour.begin(address, upload);
        await client.send(upload.body.subarray(0, part));
        await client.hangUp("abruptly");
      }
    }
    await expect.poll(async () => (await harbour.files()).temporary).toEqual([]);
    expect((await fetch(`${address}/readyz`)).status).toBe(200);
    process.signal("SIGTERM");
    expect(await process.ended).toMatchObject({ code: 0, errors: "" });
  });
});
