import sharp from "sharp";
import type { BenchRun } from "./bench-case.js";
import { idKinds, idOf } from "./dataset-ids.js";
import { median, megabytes } from "./measured-process.js";
import type { Figure } from "./report.js";

const maxUploadBytes = 10 * 1024 * 1024;

/** A JPEG of just under 10 MiB with noise, which compresses like a photograph. */
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
    if (next.length > maxUploadBytes) break;
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
  const url = `${gateway.url}/facilities/${idOf(idKinds.facility, 1)}/client_cameras`;
  const response = await fetch(url, { method: "POST", headers: { authorization }, body: form });
  if (!response.ok) throw new Error(`The upload returned ${response.status}: ${await response.text()}`);
  await response.text();
  return performance.now() - started;
}

/** Memory above idle for one upload of 10 MiB and for twenty concurrent ones. */
export async function benchUpload(run: BenchRun): Promise<Figure[]> {
  const { gateway, repetitions } = run;
  const picture = await largePicture();
  const small = await sharp({ create: { width: 64, height: 48, channels: 3, background: "teal" } })
    .jpeg()
    .toBuffer();
  await upload(run, small);
  const idle = gateway.memory;
  gateway.resetPeak();
  await upload(run, picture);
  const peakOfOne = gateway.peak;
  const times = [];
  for (let repetition = 0; repetition < repetitions; repetition += 1) times.push(await upload(run, picture));
  gateway.resetPeak();
  await Promise.all(Array.from({ length: 20 }, () => upload(run, picture)));
  const peakOfTwenty = gateway.peak;
  gateway.resetPeak();
  await Promise.all(Array.from({ length: 20 }, () => upload(run, picture)));
  return [
    { name: "Size of the uploaded picture", value: megabytes(picture.length), unit: "MB" },
    { name: "Idle memory before uploads", value: megabytes(idle), unit: "MB" },
    { name: "One upload, memory above idle", value: megabytes(peakOfOne - idle), unit: "MB", atMost: 60 },
    {
      name: "Twenty concurrent uploads, memory above idle",
      value: megabytes(peakOfTwenty - idle),
      unit: "MB",
    },
    {
      name: "Twenty more concurrent uploads, memory above idle",
      value: megabytes(gateway.peak - idle),
      unit: "MB",
    },
    { name: "One upload", value: Math.round(median(times)), unit: "ms" },
  ];
}
