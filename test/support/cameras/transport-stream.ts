import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { ffmpegPath } from "./camera-programs.js";

/** A second of video of a size as an MPEG transport stream. */
export async function makeTransportStream(size: string): Promise<Buffer> {
  const { stdout } = await promisify(execFile)(
    ffmpegPath,
    `-v error -nostdin -f lavfi -i testsrc2=size=${size}:rate=25 -t 1 -c:v libx264 -preset ultrafast -g 25 -pix_fmt yuv420p -f mpegts pipe:1`.split(
      " ",
    ),
    { encoding: "buffer", maxBuffer: 2 ** 26 },
  );
  return stdout;
}
