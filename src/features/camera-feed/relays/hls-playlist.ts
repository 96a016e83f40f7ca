import { setImmediate as nextIteration } from "node:timers/promises";
import { FeedError } from "../feed-error.js";

/** How every playlist begins. ffmpeg reads nothing else as one. */
const start = /^(?:\xef\xbb\xbf)?#EXTM3U/;
/** The length that tells whether something is a playlist. */
export const playlistStartBytes = 10;

/** A day in segments of some seconds takes a megabyte. */
export const maxPlaylistBytes = 2 * 1024 * 1024;

/** Other streams do not wait for a long playlist. */
const linesPerSlice = 1_000;

/** The longer side of the largest pictures that are kept. */
const keptSide = 1920;

/** The tags with URIs that ffmpeg reads in a list of segments, and all others. */
const tagsWithUri = /^EXT-X-(?:KEY|MAP)$/;
const otherTags =
  /^EXT(?:INF|-X-(?:BYTERANGE|DISCONTINUITY|ENDLIST|MEDIA-SEQUENCE|PLAYLIST-TYPE|START|TARGETDURATION))$/;

const comment = /^\s*#(?!EXT).*/;
/** The scheme of a URI in a tag, however it is written. */
const schemes = /URI\s*=[\s"']*([a-z][a-z\d+.-]*):/gi;
const soundCodecs = /^\s*(?:mp4a|[ae]c-[34]|opus|flac|alac)/i;

/** A list of segments; or URIs of other playlists with the same video, the best first. */
type Playlist = { segments: string } | { variants: string[] };

export const isPlaylist = (bytes: Buffer): boolean =>
  start.test(bytes.toString("latin1", 0, playlistStartBytes));

/**
 * Reads a playlist, and writes it anew, so that ffmpeg reads nothing else in it. `resolve` returns the URI that
 * replaces one of the playlist, or fails.
 */
export async function readPlaylist(bytes: Buffer, resolve: (uri: string) => string): Promise<Playlist> {
  const segments = ["#EXTM3U"];
  const variants: { uri: string; rank: number }[] = [];
  let variant: ReadonlyMap<string, string> | undefined;
  const text = bytes.toString("latin1").replace(/[\x80-\xff]/g, encodeByte);
  // ffmpeg ends lines at each of these.
  const lines = text.split(/[\r\n\0]+/).slice(1);
  for (const [index, line] of lines.entries()) {
    if (index % linesPerSlice === 0) await nextIteration();
    const uri = line.replace(comment, "").trim();
    const [, tag, value = ""] = /^#(EXT[\w-]*):?(.*)$/.exec(uri) ?? [];
    if (tag === "EXT-X-STREAM-INF") variant = attributesOf(value);
    else if (tag !== undefined) segments.push(...writtenTag(tag, value, resolve));
    else if (uri && variant) {
      variants.push({ uri: resolve(uri), rank: rankOf(variant) });
      variant = undefined;
    } else if (uri) segments.push(resolve(uri));
  }
  if (variants.length === 0) return { segments: `${segments.join("\n")}\n` };
  return { variants: variants.sort((one, other) => other.rank - one.rank).map(({ uri }) => uri) };
}

const encodeByte = (byte: string) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`;

/** A tag as ffmpeg may read it; nothing if it does not. */
function writtenTag(tag: string, value: string, resolve: (uri: string) => string): string[] {
  const isForeign = [...value.matchAll(schemes)].some(([, scheme = ""]) => !/^https?$/i.test(scheme));
  // A variable may stand for any URI.
  if (isForeign || tag === "EXT-X-DEFINE") throw new FeedError("UNSUPPORTED");
  const attributes = resolvedAttributes(value, resolve);
  if (tagsWithUri.test(tag)) return [`#${tag}:${attributes}`];
  return otherTags.test(tag) ? [`#${tag}:${value.replace(/[^\w.@:,=+-]/g, "")}`] : [];
}

function attributesOf(text: string): ReadonlyMap<string, string> {
  const found = text.matchAll(/[\s,]*([^\s,=][^=]*)?=(?:"((?:\\.|[^"\\])*)"?|([^\s,]*))/gy);
  return new Map(
    [...found].map(([, name = "", quoted, plain = ""]) => [name, quoted?.replace(/\\(.)/g, "$1") ?? plain]),
  );
}

const resolvedAttributes = (text: string, resolve: (uri: string) => string) =>
  [...attributesOf(text)]
    .filter(([name]) => /^[A-Z][A-Z-]*$/.test(name))
    .map(([name, value]) => `${name}="${name === "URI" ? resolve(value) : value.replace(/["\\]/g, "")}"`)
    .join(",");

/** Prefers the largest picture of those that are kept as they come. Sound alone comes last. */
function rankOf(variant: ReadonlyMap<string, string>): number {
  const [, width, height] = /^(\d+)x(\d+)$/i.exec(variant.get("RESOLUTION") ?? "") ?? [];
  const side = Math.max(Number(width ?? 0), Number(height ?? 0));
  const codecs = variant.get("CODECS")?.split(",") ?? [];
  if (side === 0 && codecs.length > 0 && codecs.every((codec) => soundCodecs.test(codec))) return -Infinity;
  return side > keptSide ? -side : side;
}
