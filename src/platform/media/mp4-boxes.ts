import { open } from "node:fs/promises";
import { ServiceError } from "../errors/errors.js";

/** Boxes of boxes that are looked into, and what each is in. Nesting ends here, and these are nowhere else. */
const parents: Readonly<Record<string, string>> = {
  trak: "moov",
  mvex: "moov",
  edts: "trak",
  mdia: "trak",
  minf: "mdia",
  dinf: "minf",
  stbl: "minf",
  traf: "moof",
};

/** What encrypted samples come with. */
const encryptionBoxes = new Set(["sinf", "pssh", "senc", "saiz", "saio", "tenc"]);

/** The boxes with the parameters of the decoder, by the kinds of samples. */
const configurations: Readonly<Record<string, string>> = {
  avc1: "avcC",
  avc3: "avcC",
  hvc1: "hvcC",
  hev1: "hvcC",
  av01: "av1C",
};

const maxBoxes = 20_000;
/** The frames of a minute at 240 a second and their sound. */
const maxSamples = 20_000;
/** The boxes that say what a file holds, and how large they may be. */
const maxBytesOf: Readonly<Record<string, number>> = { moov: 4 * 1024 * 1024, moof: 1024 * 1024 };
/** The longer side of a picture, in pixels. */
const maxSide = 8192;

/** What is no MP4 with one video that the gateway can keep. */
export const unsupportedMp4 = (reason: string) =>
  new ServiceError(
    "UNSUPPORTED_MEDIA_TYPE",
    `The file must be an MP4 with one video track in H.264, H.265 or AV1: ${reason}`,
  );

const damaged = (type: string) =>
  // Of another kind of file, such as a picture, four bytes say nothing.
  unsupportedMp4(/^[ -~]{4}$/.test(type) ? `its box "${type}" is damaged` : "it does not consist of boxes");

interface Box {
  type: string;
  content: Buffer;
  boxes: Box[];
}

/**
 * Refuses what is not a complete MP4 with one video track, or holds more than a clip does, by the sizes and counts of
 * its boxes, before anything else reads it. No box may reach from one file into the next. Returns the number of
 * samples, those of other tracks in fragments included.
 */
export async function checkMp4(paths: readonly string[]): Promise<number> {
  const budget = { left: maxBoxes };
  let hasMovie = false;
  let samples = 0;
  for (const path of paths) {
    for await (const box of movieBoxesOf(path, budget)) {
      if (hasMovie !== (box.type === "moof")) throw unsupportedMp4('it must have one box "moov", and first');
      samples += hasMovie ? samplesOfFragment(box) : samplesOfMovie(box);
      hasMovie = true;
      if (samples > maxSamples)
        throw new ServiceError("PAYLOAD_TOO_LARGE", `The clip has more than ${maxSamples} samples`);
    }
  }
  if (samples === 0) throw unsupportedMp4("it has no samples");
  return samples;
}

/** The boxes of a file that say what it holds. */
async function* movieBoxesOf(path: string, budget: Budget): AsyncGenerator<Box> {
  const file = await open(path);
  try {
    const total = (await file.stat()).size;
    for (let position = 0; position < total; ) {
      const head = Buffer.alloc(Math.min(16, total - position));
      await file.read(head, 0, head.length, position);
      const { type, start, size } = readHead(head, total - position);
      takeOne(budget);
      const maxBytes = maxBytesOf[type];
      if (maxBytes !== undefined) {
        if (size > maxBytes) throw damaged(type);
        const content = Buffer.alloc(size - start);
        await file.read(content, 0, content.length, position + start);
        yield { type, content, boxes: boxesIn(content, type, budget) };
      }
      position += size;
    }
  } finally {
    await file.close();
  }
}

/** How many more boxes there may be. */
interface Budget {
  left: number;
}

function takeOne(budget: Budget): void {
  if (budget.left-- === 0) throw unsupportedMp4("it has too many boxes");
}

/** Reads the type and size of a box that must fit into a space. */
function readHead(head: Buffer, space: number): { type: string; start: number; size: number } {
  const type = head.toString("latin1", 4, 8);
  if (head.length < 8) throw damaged(type);
  const isLarge = head.readUInt32BE(0) === 1;
  const start = isLarge ? 16 : 8;
  if (head.length < start) throw damaged(type);
  const size = isLarge ? Number(head.readBigUInt64BE(8)) : head.readUInt32BE(0);
  if (size < start || size > space) throw damaged(type);
  return { type, start, size };
}

function boxesIn(data: Buffer, parent: string, budget: Budget): Box[] {
  const boxes: Box[] = [];
  for (let position = 0; position < data.length; ) {
    const { type, start, size } = readHead(data.subarray(position), data.length - position);
    takeOne(budget);
    if (encryptionBoxes.has(type)) throw unsupportedMp4("it is encrypted");
    const content = data.subarray(position + start, position + size);
    const within = parents[type];
    if (within !== undefined && within !== parent) throw damaged(type);
    boxes.push({ type, content, boxes: within === undefined ? [] : boxesIn(content, type, budget) });
    position += size;
  }
  return boxes;
}

const every = (box: Box, type: string): Box[] => box.boxes.filter((each) => each.type === type);

/** The only box of a type. */
function only(box: Box, type: string): Box {
  const [found, ...others] = every(box, type);
  if (!found || others.length > 0) throw damaged(type);
  return found;
}

/** The table of a box: how many rows there are, and the number in a column of each. */
class Table {
  readonly length: number;
  readonly #rows: Buffer;
  readonly #bytes: number;

  /** Rows of a size in bytes, whose number stands before them, after `before` bytes. */
  constructor({ type, content }: Box, bytes: number, before = 4) {
    if (content.length < before + 4) throw damaged(type);
    this.length = content.readUInt32BE(before);
    this.#rows = content.subarray(before + 4);
    this.#bytes = bytes;
    if (this.length * bytes > this.#rows.length) throw damaged(type);
  }

  *column(index: number): Generator<number> {
    for (let row = 0; row < this.length; row++) yield this.#rows.readUInt32BE(row * this.#bytes + 4 * index);
  }
}

const sumOf = (numbers: Iterable<number>) => [...numbers].reduce((sum, number) => sum + number, 0);

function samplesOfMovie(movie: Box): number {
  checkTimescale(only(movie, "mvhd"));
  const videos = every(movie, "trak").filter(
    (track) => only(only(track, "mdia"), "hdlr").content.toString("latin1", 8, 12) === "vide",
  );
  const [video, ...others] = videos;
  if (!video || others.length > 0) throw unsupportedMp4(`it has ${videos.length} video tracks`);
  for (const edits of every(video, "edts"))
    for (const list of every(edits, "elst")) new Table(list, list.content[0] === 1 ? 20 : 12);
  const media = only(video, "mdia");
  checkTimescale(only(media, "mdhd"));
  const information = only(media, "minf");
  checkReferences(only(only(information, "dinf"), "dref"));
  const table = only(information, "stbl");
  checkDescription(only(table, "stsd"));
  return samplesOfTable(table);
}

function checkTimescale({ type, content }: Box): void {
  const position = content[0] === 1 ? 20 : 12;
  if (content.length < position + 4 || content.readUInt32BE(position) === 0) throw damaged(type);
}

/** All data must be in the file itself. */
function checkReferences({ content }: Box): void {
  const references = boxesIn(content.subarray(8), "dref", { left: 8 });
  if (references.some(({ type, content }) => type !== "url " || content.length !== 4 || content[3] !== 1))
    throw unsupportedMp4("it refers to other files");
}

function checkDescription(description: Box): void {
  const [sample, ...others] = boxesIn(description.content.subarray(8), "stsd", { left: 8 });
  const configuration = sample && configurations[sample.type];
  if (!configuration || others.length > 0 || description.content.readUInt32BE(4) !== 1)
    throw unsupportedMp4("it has another codec, or several");
  if (sample.content.length < 78) throw damaged(sample.type);
  const [width, height] = [sample.content.readUInt16BE(24), sample.content.readUInt16BE(26)];
  if (width === 0 || height === 0) throw damaged(sample.type);
  if (Math.max(width, height) > maxSide)
    throw new ServiceError("PAYLOAD_TOO_LARGE", `The clip is more than ${maxSide} pixels wide or high`);
  const parameters = boxesIn(sample.content.subarray(78), sample.type, { left: 32 });
  if (parameters.filter(({ type }) => type === configuration).length !== 1) throw damaged(configuration);
}

function samplesOfTable(table: Box): number {
  const sizes = only(table, "stsz");
  const areEqual = sizes.content.length >= 12 && sizes.content.readUInt32BE(4) > 0;
  const { length } = new Table(sizes, areEqual ? 0 : 4, 8);
  if (sumOf(new Table(only(table, "stts"), 8).column(0)) !== length) throw damaged("stts");
  for (const offsets of every(table, "ctts"))
    if (sumOf(new Table(offsets, 8).column(0)) > length) throw damaged("ctts");
  const chunks = new Table(only(table, "stsc"), 12);
  const [firsts, lengths] = [[0, ...chunks.column(0)], [...chunks.column(1)]];
  if (
    firsts.some((first, index) => first <= (firsts[index - 1] ?? -1)) ||
    lengths.some((each) => each === 0 || each > length)
  )
    throw damaged("stsc");
  for (const [type, bytes] of Object.entries({ stss: 4, stco: 4, co64: 8 }))
    for (const each of every(table, type)) new Table(each, bytes);
  return length;
}

/** Also counts those of other tracks. */
function samplesOfFragment(fragment: Box): number {
  const runs = every(fragment, "traf").flatMap((track) => {
    if (only(track, "tfhd").content.length < 8) throw damaged("tfhd");
    return every(track, "trun");
  });
  return sumOf(
    runs.map((run) => {
      if (run.content.length < 8) throw damaged(run.type);
      const flags = run.content.readUInt32BE(0);
      // Bits say which of four columns there are, and which of two numbers before the rows.
      const columns = [0x100, 0x200, 0x400, 0x800].filter((bit) => flags & bit).length;
      const before = [0x1, 0x4].filter((bit) => flags & bit).length;
      const length = run.content.readUInt32BE(4);
      if (8 + 4 * (before + length * columns) > run.content.length) throw damaged(run.type);
      return length;
    }),
  );
}
