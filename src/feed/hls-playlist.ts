/** What every playlist begins with. ffmpeg reads nothing else as one. */
export const playlistStart = Buffer.from("#EXTM3U");

/** A day in segments of some seconds takes a megabyte. */
export const maxPlaylistBytes = 2 * 1024 * 1024;

/** The scheme and the host of a URL that stands alone in its line, or in an attribute. */
const hosts = /(^|URI=")(https:)?\/\/([^/?#"\s]+)/gim;

/** A line with a URL of other characters than those of ASCII. */
const foreignLines = /^(?!#).*[\x80-\xff].*$/gm;
const encoded = (byte: string) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`;

/**
 * A playlist that ffmpeg can read by way of a proxy: its URLs are of http and in ASCII.
 * `encrypt` learns the host and port of those of https, and fails if there are too many. With
 * `isEncrypted`, the playlist itself came by https.
 */
export function relayedPlaylist(
  playlist: Buffer,
  isEncrypted: boolean,
  encrypt: (authority: string) => string,
): Buffer {
  // Keeps each byte, whatever the encoding.
  const text = playlist
    .toString("latin1")
    .replace(foreignLines, (line) => line.replace(/[\x80-\xff]/g, encoded))
    .replace(hosts, (found, before: string, scheme: string | undefined, authority: string) =>
      scheme || isEncrypted ? `${before}http://${encrypt(authority)}` : found,
    );
  return Buffer.from(text, "latin1");
}
