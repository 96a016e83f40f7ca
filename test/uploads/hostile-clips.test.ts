// Takes long: hundreds of files, of which one of each kind is sent.
// Runs once: no database can influence what is tested here.
import { readdirSync, readFileSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import fc from "fast-check";
import { rewriteMp4 } from "../../src/platform/media/rewrite-mp4.js";
import { Recorder } from "../ingestion/recorder.js";
import { encoders, fragmented, makeClip, probe } from "../media/sample-clips.js";
import { missingCameraPackages } from "../support/cameras/camera-programs.js";
import { run } from "../support/harness.js";
import { filesBelow } from "../support/object-store.js";
import { ownDirectory } from "../support/temporary-directory.js";
import { TestSite } from "../support/test-site.js";
import { hostileClips } from "./hostile-clips.js";
import { pictureAs } from "./sample-pictures.js";

const createUpload =
  "mutation ($id: UUID!) { createAlertUpload(cameraId: $id, kind: CLIP) { uploadId url } }";
/** What all changes of one kind have in common in their names: all but the box that they are about. */
const kindOf = (name: string) => name.replace(/ \S+ \d+(?= after|$)/, "");
/** More than what is read of a film at once, and far less than what some headers speak of. */
const mostMemory = 400 * 1024 * 1024;

/** The processes that this one has started and that have not ended. */
const childProcesses = () =>
  process.platform === "linux"
    ? readdirSync("/proc/self/task").flatMap((task) =>
        readFileSync(`/proc/self/task/${task}/children`, "utf8").split(" ").filter(Boolean),
      )
    : [];

describe.skipIf(missingCameraPackages.length > 0)("a hostile clip", async () => {
  const directory = await ownDirectory();
  const short = { seconds: 1, size: "64x48" };
  const seeds =
    missingCameraPackages.length > 0
      ? { plain: Buffer.alloc(0), fragmented: Buffer.alloc(0) }
      : {
          plain: await readFile(await makeClip(directory, "plain", encoders.h264, short)),
          fragmented: await readFile(
            await makeClip(directory, "fragmented", `${encoders.hevc} ${fragmented}`, short),
          ),
        };
  let testSite: TestSite;
  let send: (file: Buffer) => Promise<{ status: number; code: string | undefined }>;
  let kept: () => Promise<{ url: string | null; rows: number }>;
  beforeAll(async () => {
    testSite = await TestSite.open();
    const gateway = await testSite.start();
    const recorder = await Recorder.open(gateway);
    const { createAlertUpload } = await run<{ createAlertUpload: { url: string } }>(gateway, recorder.admin, [
      createUpload,
      { id: recorder.site.cameraId },
    ]);
    const { pathname, search } = new URL(createAlertUpload.url);
    send = async (file) => {
      const response = await gateway.fetch(pathname + search, { method: "PUT", body: Uint8Array.from(file) });
      const text = await response.text();
      return { status: response.status, code: text ? JSON.parse(text).code : undefined };
    };
    kept = async () => {
      const uploads = await gateway.prisma.alertUpload.findMany();
      return {
        url: uploads[0]?.url ?? null,
        rows: uploads.length + (await gateway.prisma.alertClip.count()),
      };
    };
    return () => gateway.close().then(() => testSite.remove());
  });

  async function expectFilm(file: string): Promise<void> {
    const { streams, format } = await probe(file);
    expect(streams).toHaveLength(1);
    expect(Number(format.duration)).toBeLessThanOrEqual(60.1);
  }

  /** Expects that an upload is refused and keeps nothing, or is a film of at most a minute. */
  async function expectRefusalOrFilm(file: Buffer): Promise<void> {
    const before = await kept();
    const processes = childProcesses();
    const { status, code } = await send(file);
    expect(childProcesses()).toEqual(processes);
    const after = await kept();
    expect(after.rows).toBe(1);
    expect((await filesBelow(testSite.directory)).filter((name) => /(?:source|clip)$/.test(name))).toEqual(
      [],
    );
    if (status === 204) {
      const stored = (await filesBelow(testSite.directory)).find((name) => name.endsWith(after.url ?? ""));
      await expectFilm(path.join(testSite.directory, stored ?? ""));
    } else {
      expect([
        [415, "UNSUPPORTED_MEDIA_TYPE"],
        [413, "PAYLOAD_TOO_LARGE"],
      ]).toContainEqual([status, code]);
      expect(after).toEqual(before);
    }
  }

  /** Expects the same of a file that is read as uploads are, without sending it. */
  async function expectRefusalOrRewritten(file: Buffer): Promise<void> {
    const [source, target] = [path.join(directory, "source"), path.join(directory, "target.mp4")];
    await writeFile(source, file);
    await rm(target, { force: true });
    const processes = childProcesses();
    const code = await rewriteMp4([source], target, { maxSeconds: 60 }).then(
      () => undefined,
      (error) => error.code ?? error,
    );
    expect(childProcesses()).toEqual(processes);
    if (code === undefined) await expectFilm(target);
    else expect(["UNSUPPORTED_MEDIA_TYPE", "PAYLOAD_TOO_LARGE"]).toContain(code);
  }

  it("is refused, or a film all the same, and leaves nothing else", { timeout: 900_000 }, async () => {
    const pictures = {
      jpeg: await pictureAs("jpeg", 64, 40),
      png: await pictureAs("png", 64, 40),
      webp: await pictureAs("webp", 64, 40),
    };
    const clips = hostileClips(seeds, pictures);
    expect(clips.length).toBeGreaterThan(200);
    const memory = process.resourceUsage().maxRSS;
    const kinds = new Set<string>();
    for (const [name, file] of clips) {
      const isFirst = kinds.size < kinds.add(kindOf(name)).size;
      await (isFirst ? expectRefusalOrFilm : expectRefusalOrRewritten)(file).catch((error) => {
        throw new Error(`${name}: ${error.message}`, { cause: error });
      });
    }
    expect(kinds.size).toBeGreaterThan(60);
    expect((process.resourceUsage().maxRSS - memory) * 1024).toBeLessThan(mostMemory);
  });

  it("with any bytes of its headers changed is refused, or a film", { timeout: 300_000 }, async () => {
    const seed = fc.constantFrom(seeds.plain, seeds.fragmented);
    const changes = fc.array(fc.tuple(fc.nat(2 ** 16), fc.nat(255)), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(seed, changes, async (file, bytes) => {
        const changed = Buffer.from(file);
        const headers = changed.lastIndexOf("moov") - 4;
        for (const [at, value] of bytes) changed[headers + (at % (changed.length - headers))] = value;
        await expectRefusalOrRewritten(changed);
      }),
      { seed: 20_261_129, numRuns: 60 },
    );
  });
});
