/**
 * A script for ffmpeg's demuxer `concat` that opens one URL with options. Read from
 * standard input, it keeps the URL's password out of the list of processes.
 */
export function concatScript(url: string, options: Readonly<Record<string, string>>): string {
  // Between quotes, everything but a quote is literal.
  const quoted = url.replaceAll("'", "%27");
  const values = Object.entries(options);
  if ([url, ...values.flat()].some((text) => /[\0\r\n]/.test(text)))
    throw new Error("A script for ffmpeg cannot hold line ends");
  return [
    "ffconcat version 1.0",
    `file '${quoted}'`,
    ...values.map(([name, value]) => `option ${name} '${value.replaceAll("'", "'\\''")}'`),
    "",
  ].join("\n");
}
