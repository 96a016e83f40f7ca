/** A list of segments that ends with one that is there. */
export const segmentPlaylist = (...lines: string[]): string =>
  ["#EXTM3U", "#EXT-X-TARGETDURATION:1", ...lines, "#EXTINF:1,", "large/live0.ts", "#EXT-X-ENDLIST", ""].join(
    "\n",
  );

export const masterPlaylist = (...lines: string[]): string => ["#EXTM3U", ...lines, ""].join("\n");

/** A list of other playlists. */
export const variantPlaylist = (...uris: string[]): string =>
  masterPlaylist(...uris.flatMap((uri) => ["#EXT-X-STREAM-INF:BANDWIDTH=9", uri]));

const renditionOf = (uri: string) =>
  masterPlaylist(
    `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="b",URI="${uri}"`,
    '#EXT-X-STREAM-INF:BANDWIDTH=9,AUDIO="a"',
    "large/live.m3u8",
  );
const keyFramesOf = (uri: string) =>
  masterPlaylist(
    `#EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=1,URI="${uri}"`,
    "#EXT-X-STREAM-INF:BANDWIDTH=9",
    "large/live.m3u8",
  );
const variableOf = (uri: string) =>
  segmentPlaylist(`#EXT-X-DEFINE:NAME="uri",VALUE="${uri}"`, "#EXTINF:1,", "{$uri}");

/** Ways to name a URI in a playlist, and how the playlist is sent. */
export const playlists: readonly [
  what: string,
  of: (uri: string) => string,
  headers?: Record<string, string>,
  status?: number,
][] = [
  ["a variant", (uri) => variantPlaylist(uri, "large/live.m3u8")],
  ["a variant behind another", (uri) => variantPlaylist("large/live.m3u8", uri)],
  ["a variant with spaces around it", (uri) => variantPlaylist(` ${uri}\t`)],
  ["a variant after a NUL", (uri) => variantPlaylist(`large/live.m3u8\0${uri}`)],
  ["a variant after a lone CR", (uri) => variantPlaylist(`#x\r${uri}`)],
  ["a variant behind many bytes", (uri) => variantPlaylist(`#${"x".repeat(1_000_000)}\n${uri}`)],
  ["a variant behind a byte order mark", (uri) => `\ufeff${variantPlaylist(uri)}`],
  ["a variant in a playlist of another type", (uri) => variantPlaylist(uri), { "content-type": "video/mp4" }],
  ["a variant in what is called no playlist", (uri) => variantPlaylist(uri), {}, 300],
  ["a segment", (uri) => segmentPlaylist("#EXTINF:1,", uri)],
  ["a key", (uri) => segmentPlaylist(`#EXT-X-KEY:METHOD=AES-128,URI="${uri}"`)],
  ["a key without quotes", (uri) => segmentPlaylist(`#EXT-X-KEY:METHOD=AES-128,URI=${uri}`)],
  ["a key with other quotes", (uri) => segmentPlaylist(`#EXT-X-KEY:METHOD=AES-128,URI='${uri}'`)],
  ["a key in other cases", (uri) => segmentPlaylist(`#EXT-X-KEY:method=AES-128, Uri = "${uri}"`)],
  ["a key with escapes", (uri) => segmentPlaylist(`#EXT-X-KEY:METHOD=AES-128,X="a\\",URI="${uri}"`)],
  ["a map", (uri) => segmentPlaylist(`#EXT-X-MAP:URI="${uri}"`)],
  ["a rendition", renditionOf],
  ["key frames", keyFramesOf],
  ["data of a session", (uri) => segmentPlaylist(`#EXT-X-SESSION-DATA:DATA-ID="a",URI="${uri}"`)],
  ["a hint", (uri) => segmentPlaylist(`#EXT-X-PRELOAD-HINT:TYPE=PART,URI="${uri}"`)],
  ["a report", (uri) => segmentPlaylist(`#EXT-X-RENDITION-REPORT:URI="${uri}"`)],
  ["an unknown tag", (uri) => segmentPlaylist(`#EXT-X-FUTURE:a=b,URI="${uri}"`)],
  ["a variable", variableOf],
];
