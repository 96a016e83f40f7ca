import sharp from "sharp";
import { idOf, kinds } from "./dataset.js";
import { median, megabytes } from "./process.js";
import type { Figure } from "./report.js";
import type { BenchRun } from "./run.js";

const largest = 10 * 1024 * 1024;

/** A photograph's worth of a JPEG of just under 10 MiB. */
async function largePicture(): Promise<Buffer> {
  const noise = { type: "gaussian", mean: 128, sigma: 40 } as const;
  const picture = sharp({ create: { width: 4500, height: 3000, channels: 3, background: "grey", noise } });
  const pixels = await picture.raw().toBuffer();
  const encode = (quality: number) =>
    sharp(pixels, { raw: { width: 4500, height: 3000, channels: 3 } })
      .jpeg({ quality })
      .toBuffer();
  let best = await encode(40);
  for (let quality = 45; quality <= 95; quality += 5) {
    const next = await encode(quality);
    if (next.length > largest) break;
    best = next;
  }
  return best;
}

async function upload({ gateway, authorization }: BenchRun, picture: Buffer): Promise<number> {
  const started = performance.now();
  const form = new FormData();
  form.append("cameraName", "Bench");
  form.append("metadata", "{}");
  form.append("cameraImage", new Blob([new Uint8Array(picture)]), "picture.jpg");
  const url = `${gateway.url}/facilities/${idOf(kinds.facility, 1)}/client_cameras`;
  const response = await fetch(url, { method: "POST", headers: { authorization }, body: form });
  if (!response.ok) throw new Error(`The upload was answered ${response.status}: ${await response.text()}`);
  await response.text();
  return performance.now() - started;
}

/** Memory above idle for one upload of 10 MiB, and for twenty at once. */
export async function benchUpload(run: BenchRun): Promise<Figure[]> {
  const { gateway, repetitions } = run;
  const picture = await largePicture();
  const small = await sharp({ create: { width: 64, height: 48, channels: 3, background: "teal" } })
    .jpeg()
    .toBuffer();
  await upload(run, small);
  const idle = gateway.memory;
  gateway.forgetPeak();
  await upload(run, picture);
  const one = gateway.peak;
  const times = [];
  for (let repetition = 0; repetition < repetitions; repetition += 1) times.push(await upload(run, picture));
  gateway.forgetPeak();
  await Promise.all(Array.from({ length: 20 }, () => upload(run, picture)));
  const twenty = gateway.peak;
  gateway.forgetPeak();
  await Promise.all(Array.from({ length: 20 }, () => upload(run, picture)));
  return [
    { name: "Size of the uploaded picture", value: megabytes(picture.length), unit: "MB" },
    { name: "Idle memory before uploads", value: megabytes(idle), unit: "MB" },
    { name: "One upload, memory above idle", value: megabytes(one - idle), unit: "MB", atMost: 60 },
    { name: "Twenty uploads at once, memory above idle", value: megabytes(twenty - idle), unit: "MB" },
    { name: "Twenty more at once, memory above idle", value: megabytes(gateway.peak - idle), unit: "MB" },
    { name: "One upload", value: Math.round(median(times)), unit: "ms" },
  ];
}
