/** A box of an MP4: where its header begins, where its content does, and where it ends. */
interface Place {
  path: string;
  start: number;
  content: number;
  end: number;
}

const parents = new Set(["moov", "trak", "mdia", "minf", "dinf", "stbl", "edts", "mvex", "moof", "traf"]);

/** All boxes of a file that are looked into, and those in them. */
function placesIn(file: Buffer, start = 0, end = file.length, within = ""): Place[] {
  const places: Place[] = [];
  for (let at = start; at < end; ) {
    const type = file.toString("latin1", at + 4, at + 8);
    const place = { path: `${within}${type}`, start: at, content: at + 8, end: at + file.readUInt32BE(at) };
    places.push(place);
    if (parents.has(type)) places.push(...placesIn(file, place.content, place.end, `${place.path}/`));
    at = place.end;
  }
  return places;
}

export function box(type: string, ...contents: Buffer[]): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + contents.reduce((sum, { length }) => sum + length, 0));
  head.write(type, 4, "latin1");
  return Buffer.concat([head, ...contents]);
}

const numbers = (...values: number[]) => {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => void bytes.writeUInt32BE(value, 4 * index));
  return bytes;
};

/** A copy of a file with another number somewhere. */
function withNumber(file: Buffer, at: number, value: number): Buffer {
  const changed = Buffer.from(file);
  changed.writeUInt32BE(value >>> 0, at);
  return changed;
}

/** A copy of a file whose last box of a path has other content. The boxes around it become as much larger. */
function withContent(file: Buffer, path: string, content: (before: Buffer) => Buffer): Buffer {
  const places = placesIn(file);
  const place = places.findLast((each) => each.path === path);
  if (!place) throw new Error(`There is no ${path}`);
  const made = content(file.subarray(place.content, place.end));
  const growth = made.length - (place.end - place.content);
  const changed = Buffer.concat([file.subarray(0, place.content), made, file.subarray(place.end)]);
  for (const { start, end } of places)
    if (start <= place.start && end >= place.end) changed.writeUInt32BE(end - start + growth, start);
  return changed;
}

const largest = 0xffff_ffff;

/** Changes of one kind at every box of a real file that another one does not have, too. */
function mutationsOf(name: string, file: Buffer, other?: Buffer): [string, Buffer][] {
  const known = new Set(other && placesIn(other).map(({ path }) => path));
  return placesIn(file).flatMap(({ path, start, content, end }, index, places): [string, Buffer][] => {
    if (known.has(path)) return [];
    const next = places.find((place) => place.start === end);
    const size = end - start;
    return [
      [`${name} that ends before ${path} ${index}`, file.subarray(0, start)],
      [`${name} that ends in ${path} ${index}`, file.subarray(0, (content + end) >> 1)],
      [`${name} with a size of 4 GB of ${path} ${index}`, withNumber(file, start, largest)],
      [`${name} with too small a size of ${path} ${index}`, withNumber(file, start, size >> 1)],
      [`${name} with a size of 0 of ${path} ${index}`, withNumber(file, start, 0)],
      [`${name} with a large size of ${path} ${index}`, withNumber(file, start, 1)],
      [`${name} with another name of ${path} ${index}`, withNumber(file, start + 4, 0x78787878)],
      ...(next
        ? [
            [
              `${name} with ${path} ${index} after the next box`,
              Buffer.concat([
                file.subarray(0, start),
                file.subarray(next.start, next.end),
                file.subarray(start, end),
                file.subarray(next.end),
              ]),
            ] as [string, Buffer],
          ]
        : []),
    ];
  });
}

const stbl = "moov/trak/mdia/minf/stbl";

/** Files made to mislead whoever reads them, from a plain MP4 and one in fragments. */
function traps(plain: Buffer, fragmented: Buffer): [string, Buffer][] {
  const places = placesIn(plain);
  const movie = places.find(({ path }) => path === "moov") as Place;
  const track = places.find(({ path }) => path === "moov/trak") as Place;
  const trackBytes = plain.subarray(track.start, track.end);
  const counted = ["stts", "ctts", "stss", "stsc", "stco"].map((type): [string, Buffer] => [
    `4 G rows of ${type}`,
    withContent(plain, `${stbl}/${type}`, (before) => withNumber(before, 4, largest)),
  ]);
  const start = placesIn(fragmented).find(({ path }) => path === "moof")?.start ?? 0;
  const init = fragmented.subarray(0, start);
  const nested = Array.from({ length: 20_000 }).reduce<Buffer[]>((sum) => [numbers(8, 0), ...sum], []);
  for (const [index, head] of nested.entries()) {
    head.writeUInt32BE(8 * (nested.length - index));
    head.write("mdia", 4, "latin1");
  }
  const references = (...entries: Buffer[]) =>
    withContent(plain, "moov/trak/mdia/minf/dinf/dref", () =>
      Buffer.concat([numbers(0, entries.length), ...entries]),
    );
  const sample = (change: (before: Buffer) => Buffer) => withContent(plain, `${stbl}/stsd`, change);
  const run = (flags: number, ...rows: number[]) =>
    Buffer.concat([
      init,
      box("moof", box("traf", box("tfhd", numbers(0x20000, 1)), box("trun", numbers(flags, ...rows)))),
      box("mdat", Buffer.alloc(100)),
    ]);
  return [
    ...counted,
    ["4 G sizes of samples", withContent(plain, `${stbl}/stsz`, (before) => withNumber(before, 8, largest))],
    ["4 G samples of one size", withContent(plain, `${stbl}/stsz`, () => numbers(0, 1, largest))],
    [
      "samples of 4 GB",
      withContent(plain, `${stbl}/stsz`, (before) => withNumber(before.subarray(0, 12), 4, largest)),
    ],
    [
      "samples that last for years",
      withContent(plain, `${stbl}/stts`, (before) => withNumber(before, 12, largest)),
    ],
    [
      "samples shown years later",
      withContent(plain, `${stbl}/ctts`, (before) => withNumber(before, 12, 0x7fff_ffff)),
    ],
    ["chunks of no samples", withContent(plain, `${stbl}/stsc`, (before) => withNumber(before, 12, 0))],
    [
      "chunks of 4 G samples",
      withContent(plain, `${stbl}/stsc`, (before) => withNumber(before, 12, largest)),
    ],
    ["chunks that begin at 0", withContent(plain, `${stbl}/stsc`, (before) => withNumber(before, 8, 0))],
    ["data beyond the end", withContent(plain, `${stbl}/stco`, (before) => withNumber(before, 8, largest))],
    ["data within the header", withContent(plain, `${stbl}/stco`, (before) => withNumber(before, 8, 8))],
    ["no time scale of the movie", withContent(plain, "moov/mvhd", (before) => withNumber(before, 12, 0))],
    [
      "no time scale of the track",
      withContent(plain, "moov/trak/mdia/mdhd", (before) => withNumber(before, 12, 0)),
    ],
    ["4 G edits", withContent(plain, "moov/trak/edts/elst", (before) => withNumber(before, 4, largest))],
    [
      "a duration of years in its header",
      withContent(plain, "moov/mvhd", (before) => withNumber(before, 16, largest)),
    ],
    ["a picture of 65535 by 65535 pixels", sample((before) => withNumber(before, 40, largest))],
    ["a picture without pixels", sample((before) => withNumber(before, 40, 0))],
    ["4 G descriptions of samples", sample((before) => withNumber(before, 4, largest))],
    [
      "encrypted samples",
      sample((before) => Buffer.concat([before.subarray(0, 12), Buffer.from("encv"), before.subarray(16)])),
    ],
    [
      "an unknown codec",
      sample((before) => Buffer.concat([before.subarray(0, 12), Buffer.from("xxxx"), before.subarray(16)])),
    ],
    ["no parameters of its decoder", sample((before) => withNumber(before.subarray(0, 94), 8, 86))],
    ["data in another file", references(box("url ", numbers(0), Buffer.from("file:///etc/passwd\0")))],
    ["data at another address", references(box("url ", numbers(0), Buffer.from("http://127.0.0.1:9/\0")))],
    ["data by another name", references(box("urn ", numbers(0), Buffer.from("urn:x\0")))],
    ["data in the file and in another one", references(box("url ", numbers(1)), box("url ", numbers(0)))],
    ["two movies", Buffer.concat([plain, plain.subarray(movie.start, movie.end)])],
    ["two tracks of video", withContent(plain, "moov", (before) => Buffer.concat([before, trackBytes]))],
    [
      "a track of sound alone",
      withContent(plain, "moov/trak/mdia/hdlr", (before) =>
        Buffer.concat([before.subarray(0, 8), Buffer.from("soun"), before.subarray(12)]),
      ),
    ],
    ["no movie", Buffer.concat([plain.subarray(0, movie.start), plain.subarray(movie.end)])],
    [
      "a size of 2^63",
      Buffer.concat([
        plain.subarray(0, movie.start),
        numbers(1),
        Buffer.from("mdat"),
        numbers(0x7fff_ffff, largest),
        plain.subarray(movie.start),
      ]),
    ],
    [
      "a size of 4 GB in 64 bits",
      Buffer.concat([
        plain.subarray(0, movie.start),
        numbers(1),
        Buffer.from("mdat"),
        numbers(1, 0),
        plain.subarray(movie.start),
      ]),
    ],
    ["boxes nested 20,000 times", Buffer.concat([plain.subarray(0, movie.start), box("moov", ...nested)])],
    [
      "boxes in boxes where none belong",
      withContent(plain, stbl, (before) => Buffer.concat([before, box("trak", trackBytes)])),
    ],
    [
      "a hundred thousand empty fragments",
      Buffer.concat([init, ...Array<Buffer>(100_000).fill(box("moof"))]),
    ],
    [
      "a million empty boxes",
      Buffer.concat([
        plain.subarray(0, movie.start),
        Buffer.alloc(8_000_000, box("free")),
        plain.subarray(movie.start),
      ]),
    ],
    [
      "a movie of 8 MB",
      Buffer.concat([plain.subarray(0, movie.start), box("moov", Buffer.alloc(8_000_000))]),
    ],
    [
      "fragments before the movie",
      Buffer.concat([fragmented.subarray(0, 28), fragmented.subarray(start), fragmented.subarray(28, start)]),
    ],
    ["4 G samples of a fragment without rows", run(0, largest)],
    ["4 G samples of a fragment with rows", run(0xf00, largest, 0, 0, 0, 0)],
    ["samples of 4 GB in a fragment", run(0x301, 1, 0, largest, largest)],
    ["samples of a fragment before the file", run(0x201, 1, 0x8000_0000, 50)],
    ["fragments without data", init],
    [
      "times of a fragment beyond all numbers",
      withContent(fragmented, "moof/traf/tfdt", () => numbers(0x0100_0000, largest, largest)),
    ],
  ];
}

/** What is no MP4 at all, or one that is no film. */
function others(plain: Buffer, pictures: Record<string, Buffer>): [string, Buffer][] {
  const brand = (name: string) => box("ftyp", Buffer.from(name), numbers(0), Buffer.from("mif1"));
  return [
    ["nothing", Buffer.alloc(0)],
    ["a byte", Buffer.alloc(1)],
    ["zeros", Buffer.alloc(4096)],
    ["text", Buffer.from("<script>alert(1)</script>".repeat(50))],
    ["a playlist", Buffer.from("#EXTM3U\n#EXTINF:1\nfile:///etc/passwd\n")],
    ["a list of files", Buffer.from("ffconcat version 1.0\nfile /etc/passwd\n")],
    ["a Matroska header", Buffer.from("1a45dfa3a342868101", "hex")],
    ["the beginning alone", plain.subarray(0, 32)],
    [
      "a picture in a box of a film",
      Buffer.concat([brand("heic"), box("meta", numbers(0)), box("mdat", Buffer.alloc(64))]),
    ],
    [
      "a still picture by its name",
      Buffer.concat([brand("avif"), box("mdat", pictures.jpeg ?? Buffer.alloc(8))]),
    ],
    ...Object.entries(pictures).map(([name, picture]): [string, Buffer] => [`a ${name} picture`, picture]),
    ["a film after a picture", Buffer.concat([pictures.jpeg ?? Buffer.alloc(8), plain])],
  ];
}

/** Hostile files with their names, made from real ones. */
export const hostileClips = (
  { plain, fragmented }: { plain: Buffer; fragmented: Buffer },
  pictures: Record<string, Buffer>,
): [string, Buffer][] => [
  ...mutationsOf("a plain MP4", plain),
  ...mutationsOf("a fragmented MP4", fragmented, plain),
  ...traps(plain, fragmented),
  ...others(plain, pictures),
];
