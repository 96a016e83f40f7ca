/** What every playlist begins with. ffmpeg reads nothing else as one. */
export const playlistStart = Buffer.from("#EXTM3U");

/** Playlists with all pictures of a day have some megabytes. */
export const maxPlaylistBytes = 4 * 1024 * 1024;

/** The scheme and the host of a URL that stands alone in its line, or in an attribute. */
const hosts = /(^|URI=")(https:)?\/\/([^/?#"\s]+)/gim;

/**
 * A playlist whose URLs of https have http instead. `encrypt` learns the host and port of
 * each, and fails if there are too many. With `isEncrypted`, the playlist itself came by
 * https.
 */
export function withoutHttps(
  playlist: Buffer,
  isEncrypted: boolean,
  encrypt: (authority: string) => string,
): Buffer {
  // Keeps each byte, whatever the encoding.
  const text = playlist.toString("latin1");
  const plain = text.replace(hosts, (found, before: string, scheme: string | undefined, authority: string) =>
    scheme || isEncrypted ? `${before}http://${encrypt(authority)}` : found,
  );
  return Buffer.from(plain, "latin1");
}
