// The thread that writes an MP4 anew. Plain JavaScript, because Node.js runs this file as it is, in tests, too.
import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import {
  CustomSource,
  EncodedPacketSink,
  EncodedVideoPacketSource,
  FilePathTarget,
  Input,
  MP4,
  Mp4OutputFormat,
  Output,
  QTFF,
} from "mediabunny";

const codecs = { avc: "h264", hevc: "hevc", av1: "av1" };

// On Linux this is the priority of the thread alone. Elsewhere it would be that of the process.
if (process.platform === "linux") setPriority(10);

const { sources, target, samples, from = -Infinity, until = Infinity, maxSeconds = Infinity } = workerData;
const port = /** @type {import("node:worker_threads").MessagePort} */ (parentPort);
/** @type {number[]} */
const parts = sources.map((/** @type {string} */ path) => openSync(path, "r"));
try {
  port.postMessage(await rewrite());
} catch (error) {
  // A disk that is full, for instance, is no fault of the file.
  if (/** @type {NodeJS.ErrnoException} */ (error).syscall) throw error;
  port.postMessage({ refusal: "unreadable" });
} finally {
  parts.forEach(closeSync);
}

/**
 * Reads the files as if they were one.
 * @param {number} from
 * @param {number} until
 */
function read(from, until) {
  const bytes = Buffer.alloc(until - from);
  let start = 0;
  for (const part of parts) {
    const { size } = fstatSync(part);
    const [first, last] = [Math.max(from, start), Math.min(until, start + size)];
    if (first < last) readSync(part, bytes, first - from, last - first, first - start);
    start += size;
  }
  return bytes;
}

/** Copies the packets of the video, from one key frame to another. */
async function rewrite() {
  const totalSize = parts.reduce((sum, part) => sum + fstatSync(part).size, 0);
  const source = new CustomSource({
    getSize: () => totalSize,
    read,
    maxCacheSize: 2 ** 20,
  });
  const input = new Input({ source, formats: [MP4, QTFF] });
  const track = await input.getPrimaryVideoTrack();
  const codec = await track?.getCodec();
  const decoderConfig = await track?.getDecoderConfig();
  if (!track || !decoderConfig || !(codec === "avc" || codec === "hevc" || codec === "av1"))
    throw new Error("Its video cannot be read");
  const packets = new EncodedPacketSink(track);
  const first = await firstPacket(packets);

  const output = new Output({
    format: new Mp4OutputFormat({ fastStart: "reserve" }),
    target: new FilePathTarget(target, { chunkSize: 2 ** 20 }),
  });
  const video = new EncodedVideoPacketSource(codec);
  const rotation = await track.getRotation();
  output.addVideoTrack(video, { rotation, maximumPacketCount: samples });
  await output.start();
  let end = first.timestamp;
  let bytes = 0;
  for await (const packet of packets.packets(first)) {
    if (packet.type === "key" && packet.timestamp >= until) break;
    // What is shown before the first key frame needs frames that are not there.
    if (packet.timestamp < first.timestamp) continue;
    end = Math.max(end, packet.timestamp + packet.duration);
    bytes += packet.byteLength;
    // Sums of fractions may be a little more.
    if (end - first.timestamp > maxSeconds + 0.001) return { refusal: "too long" };
    if (bytes > totalSize) throw new Error("Its samples overlap");
    await video.add(packet.clone({ timestamp: packet.timestamp - first.timestamp }), { decoderConfig });
  }
  await output.finalize();
  return {
    codec: codecs[codec],
    duration: end - first.timestamp,
    width: await track.getDisplayWidth(),
    height: await track.getDisplayHeight(),
    firstTimestamp: first.timestamp,
    size: statSync(target).size,
  };
}

/**
 * The last key frame that is not after the beginning, or else the first one.
 * @param {EncodedPacketSink} packets
 */
async function firstPacket(packets) {
  let first = await packets.getFirstKeyPacket();
  if (!first) throw new Error("It has no key frame");
  for (;;) {
    const next = await packets.getNextKeyPacket(first);
    if (!next || next.timestamp > from) return first;
    first = next;
  }
}
