// Takes long: it starts and kills gateways as processes.
import pg from "pg";
import { inject } from "vitest";
import { authorizationOf, type Sender } from "../support/harness.js";
import { TestSite } from "../support/test-site.js";
import { type RawUpload, rawUploads, uploadKinds } from "./raw-uploads.js";
import { pictureAs } from "./sample-pictures.js";
import { type RawResponse, SlowClient, secondHalf } from "./slow-client.js";
import { resultOf } from "./upload-apis.js";
import { createUploadUsers, storedFilesIn } from "./upload-site.js";

const { server } = inject("resources");
const admin: Sender = { user: "uploads|admin" };

const picture = await pictureAs("jpeg");

/**
 * A site with users who may upload, for gateways that run as processes one after the
 * other.
 */
class ProcessSite {
  private constructor(
    private readonly site: TestSite,
    readonly uploads: Record<(typeof uploadKinds)[number], RawUpload>,
  ) {}

  /** Runs the statements of `prepare` before any process starts. */
  static async forTest(prepare: string[] = []): Promise<ProcessSite> {
    const site = await TestSite.forTest();
    const gateway = await site.start();
    const ids = await createUploadUsers(gateway.prisma);
    for (const sql of prepare) await gateway.prisma.$executeRawUnsafe(sql);
    await gateway.close();
    return new ProcessSite(site, rawUploads(ids, picture));
  }

  get variables(): Record<string, string> {
    return this.site.variables;
  }

  start() {
    return this.site.startProcess();
  }

  query(sql: string): Promise<unknown[]> {
    return this.site.query(sql);
  }

  files() {
    return storedFilesIn(this.site.directory);
  }

  async sendHead(address: string, { head }: RawUpload): Promise<SlowClient> {
    const client = await SlowClient.connect(address);
    await client.sendHead({
      ...head,
      headers: { ...head.headers, authorization: (await authorizationOf(admin)) as string },
    });
    return client;
  }

  async sendHalf(address: string, upload: RawUpload): Promise<SlowClient> {
    const countFiles = async () =>
      (await this.files()).temporary.filter((name) => /(part|source)$/.test(name)).length;
    const before = await countFiles();
    const client = await this.sendHead(address, upload);
    await client.send(upload.body.subarray(0, upload.fileAt + upload.fileLength / 2));
    await expect.poll(countFiles, { interval: 5 }).toBe(before + 1);
    return client;
  }
}

const nothing = { stored: [], temporary: [] };
const counts = `SELECT (SELECT count(*) FROM "Camera")::int AS cameras, (SELECT count(*) FROM "User" WHERE "picture" IS NOT NULL)::int AS users,
  (SELECT count(*) FROM "ObjectRemoval")::int AS removals`;

it("a gateway that is killed during uploads leaves nothing behind after its restart, and finishes others when it is stopped", async () => {
  const site = await ProcessSite.forTest();
  const first = await site.start();
  for (const kind of uploadKinds) await site.sendHalf(first.address, site.uploads[kind]);
  await first.process.kill();
  expect((await site.files()).temporary).not.toEqual([]);
  const second = await site.start();
  expect(await site.files()).toEqual(nothing);
  const upload = site.uploads["a camera by REST"];
  const client = await site.sendHalf(second.address, upload);
  second.process.signal("SIGTERM");
  await client.send(secondHalf(upload));
  expect(await resultOf((await client.response()) as RawResponse)).toMatchObject({ status: 200, code: "OK" });
  expect(await second.process.ended).toMatchObject({ code: 0, errors: "" });
  expect((await site.files()).temporary).toEqual([]);
  expect((await site.files()).stored).toHaveLength(2);
  expect(await site.query(counts)).toEqual([{ cameras: 1, users: 0, removals: 0 }]);
});

describe("a gateway that is killed after it stored a picture but before the commit", () => {
  const stored = [
    expect.stringMatching(/^cameras\/[0-9a-f-]{36}-picture\.jpg$/),
    expect.stringMatching(/^cameras\/[0-9a-f-]{36}-small\.webp$/),
  ];

  it.runIf(!server)("deletes the picture when it restarts", async () => {
    // The write that refers to the picture does not finish before the gateway is killed.
    const site = await ProcessSite.forTest([
      `CREATE FUNCTION delay_insert() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN LOOP EXIT WHEN clock_timestamp() > now() + interval '1 hour'; END LOOP; END $$`,
      'CREATE TRIGGER delay_insert BEFORE INSERT ON "Camera" FOR EACH ROW EXECUTE FUNCTION delay_insert()',
    ]);
    const first = await site.start();
    const upload = site.uploads["a camera by REST"];
    await (await site.sendHead(first.address, upload)).send(upload.body);
    await expect.poll(async () => (await site.files()).stored).toEqual(stored);
    await first.process.kill();
    expect(await site.query(counts)).toEqual([{ cameras: 0, users: 0, removals: 2 }]);
    const second = await site.start();
    await expect.poll(() => site.files()).toEqual(nothing);
    second.process.signal("SIGTERM");
    await second.process.ended;
    expect(await site.query(counts)).toEqual([{ cameras: 0, users: 0, removals: 0 }]);
  });

  it.runIf(server)(
    "has the picture deleted when its reservation expires, even by another gateway",
    async () => {
      const site = await ProcessSite.forTest();
      const first = await site.start();
      const [facility] = (await site.query('SELECT "workspaceId" FROM "Facility"')) as {
        workspaceId: string;
      }[];
      const holder = new pg.Client({ connectionString: site.variables.DATABASE_URL });
      await holder.connect();
      try {
        await holder.query(
          `BEGIN; SELECT 1 FROM "Facility" WHERE "workspaceId" = '${facility?.workspaceId}' FOR UPDATE`,
        );
        const upload = site.uploads["a camera by REST"];
        await (await site.sendHead(first.address, upload)).send(upload.body);
        await expect.poll(async () => (await site.files()).stored).toEqual(stored);
        await first.process.kill();
      } finally {
        await holder.end();
      }
      const second = await site.start();
      expect(await site.files()).toEqual({ stored, temporary: [] });
      expect(await site.query(counts)).toEqual([{ cameras: 0, users: 0, removals: 2 }]);
      await second.process.kill();
      // Simulates the passing of five minutes.
      await site.query(`UPDATE "ObjectRemoval" SET "dueAt" = '2026-11-01T00:00:00Z'`);
      await site.start();
      await expect.poll(() => site.files()).toEqual(nothing);
      await expect.poll(() => site.query(counts)).toEqual([{ cameras: 0, users: 0, removals: 0 }]);
    },
  );
});
