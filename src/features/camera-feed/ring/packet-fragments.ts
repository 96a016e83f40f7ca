import { FeedError } from "../feed-error.js";

/** A fragment ends with a frame, which may have 10 MiB. */
const maxBoxBytes = 16 * 1024 * 1024;

/** ffmpeg's names of codecs by their names in MP4, and by the numbers that `mp4v` has for others. */
const codecs: Readonly<Record<string, string>> = {
  avc1: "h264",
  hev1: "hevc",
  av01: "av1",
  vp09: "vp9",
  32: "mpeg4",
  108: "mjpeg",
};
/** Where a description of type `esds` has the number of its codec. */
const codecNumberAt = 21;

/** How units of a video are told apart: a unit's type, which types are parameter sets, and which end them. */
const units: Readonly<
  Record<
    string,
    { type: (first: number) => number; sets: readonly number[]; isPicture: (type: number) => boolean }
  >
> = {
  h264: { type: (first) => first & 31, sets: [7, 8], isPicture: (type) => type >= 1 && type <= 5 },
  hevc: { type: (first) => (first >> 1) & 63, sets: [32, 33, 34], isPicture: (type) => type < 32 },
};

/** The content of the first box of each type inside the one before. */
function inside(content: Buffer, path: string): Buffer {
  return path.split("/").reduce((parent, type) => {
    for (let at = 0; at + 8 <= parent.length; at += Math.max(8, parent.readUInt32BE(at)))
      if (parent.toString("latin1", at + 4, at + 8) === type)
        return parent.subarray(at + 8, at + parent.readUInt32BE(at));
    throw new Error("ffmpeg left out a box");
  }, content);
}

/** What is needed to read any of the fragments that follow. */
export class PacketStart {
  readonly codec: string;
  /** The number of ticks in a second. */
  readonly timescale: number;

  constructor(readonly bytes: Buffer) {
    const media = inside(bytes, "moov/trak/mdia");
    this.timescale = inside(media, "mdhd").readUInt32BE(12);
    const description = inside(media, "minf/stbl/stsd");
    const name = description.toString("latin1", 12, 16);
    const number = description[description.indexOf("esds") + codecNumberAt];
    this.codec = codecs[name === "mp4v" ? Number(number) : name] ?? name;
  }
}

/** Some frames of a stream, of which only the first may be a key frame. */
export class PacketFragment {
  readonly isKey: boolean;
  /** In ticks. */
  duration: number;
  readonly #head: Buffer;
  readonly #body: Buffer;
  readonly #start: Buffer;
  /** Where the head has durations: that of all frames without their own, and those. */
  readonly #defaultAt: number;
  readonly #durationsAt: readonly number[];
  readonly #count: number;

  constructor(head: Buffer, body: Buffer) {
    this.#head = head;
    this.#body = body;
    const track = inside(head, "moof/traf");
    const defaults = inside(track, "tfhd");
    const run = inside(track, "trun");
    this.#start = inside(track, "tfdt");
    const at = (content: Buffer) => content.byteOffset - head.byteOffset;
    // ffmpeg always writes the duration, size and flags that frames have by default.
    this.#defaultAt = at(defaults) + 8;
    const flags = run.readUInt32BE();
    this.#count = run.readUInt32BE(4);
    const first = at(run) + 8 + (flags & 1 ? 4 : 0) + (flags & 4 ? 4 : 0);
    const frameBytes = [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag).length * 4;
    this.#durationsAt =
      flags & 0x100 ? Array.from({ length: this.#count }, (_, index) => first + index * frameBytes) : [];
    // The first frame alone may differ from the others.
    this.isKey = (head.readUInt32BE(flags & 4 ? first - 4 : this.#defaultAt + 8) & 0x10000) === 0;
    this.duration = this.#durationsAt.length
      ? this.#durationsAt.reduce((sum, position) => sum + head.readUInt32BE(position), 0)
      : this.#count * head.readUInt32BE(this.#defaultAt);
  }

  get parts(): readonly Buffer[] {
    return [this.#head, this.#body];
  }

  get length(): number {
    return this.#head.length + this.#body.length;
  }

  /** Sets the time of the first frame, in ticks, and returns it. */
  moveTo(ticks: number): number {
    this.#start.writeBigUInt64BE(BigInt(ticks), 4);
    return ticks;
  }

  /** Gives all frames the same part of another duration. */
  spread(duration: number): void {
    const each = Math.max(1, Math.floor(duration / this.#count));
    for (const position of [this.#defaultAt, ...this.#durationsAt]) this.#head.writeUInt32BE(each, position);
    this.duration = each * this.#count;
  }

  /** The parameter sets before the first picture; empty if there are none, as in codecs without. */
  parameterSets(codec: string): Buffer {
    const { type = Number, sets = [], isPicture = () => true } = units[codec] ?? {};
    const found: Buffer[] = [];
    for (let at = 8; at + 4 < this.#body.length; ) {
      const end = at + 4 + this.#body.readUInt32BE(at);
      const unit = type(this.#body.readUInt8(at + 4));
      if (isPicture(unit)) break;
      if (sets.includes(unit)) found.push(this.#body.subarray(at, end));
      at = end;
    }
    return Buffer.concat(found);
  }
}

/** Reads fragmented MP4 as ffmpeg writes it. Holds one fragment at most. */
export class PacketFragments {
  #pieces: Buffer[] = [];
  #length = 0;
  /** The length that the next box has at least. */
  #wanted = 8;
  /** Boxes that say what the next one holds. */
  #heads: Buffer[] = [];

  /** Takes the next piece of the output. Returns what it completes. */
  read(piece: Buffer): (PacketStart | PacketFragment)[] {
    const read: (PacketStart | PacketFragment)[] = [];
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length < this.#wanted) return read;
    let bytes = Buffer.concat(this.#pieces);
    for (;;) {
      this.#wanted = bytes.length < 8 ? 8 : bytes.readUInt32BE();
      if (this.#wanted < 8 || this.#wanted > maxBoxBytes) throw new FeedError("TOO_LARGE");
      if (bytes.length < this.#wanted) break;
      read.push(...this.#take(bytes.subarray(0, this.#wanted)));
      bytes = bytes.subarray(this.#wanted);
    }
    this.#pieces = [bytes];
    this.#length = bytes.length;
    return read;
  }

  #take(box: Buffer): (PacketStart | PacketFragment)[] {
    const type = box.toString("latin1", 4, 8);
    const heads = this.#heads;
    this.#heads = [];
    if (type === "moov") return [new PacketStart(Buffer.concat([...heads, box]))];
    if (type === "mdat") return [new PacketFragment(Buffer.concat(heads), box)];
    this.#heads = [box];
    return [];
  }
}
