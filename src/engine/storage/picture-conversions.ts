import path from "node:path";
import { defined } from "../../platform/defined.js";
import { type RewrittenMp4, rewriteMp4 } from "../../platform/media/rewrite-mp4.js";
import { FairQueue, type FairQueueLimits, type ShareHolder } from "../../platform/queues/fair-queue.js";
import {
  type ConvertedPicture,
  convertPicture,
  inspectPicture,
  type PictureConversion,
  type PictureDrawing,
} from "./picture.js";

/** The holder of the share that a conversion takes, and the cancellation of the wait. */
export interface ConversionClient {
  readonly caller: ShareHolder;
  readonly origin: { readonly signal?: AbortSignal | undefined };
}

/** The result of a conversion, and its name. */
export interface ConvertedFile extends ConvertedPicture {
  name: string;
  file: string;
}

/** The duration of the longest clip that can be uploaded. */
const maxClipSeconds = 60;

/** Never refuses work for lack of a decoder: there are fewer slots for uploads than room for waiting here. */
const patience: Pick<FairQueueLimits, "waiting" | "maxWaitMs"> = {
  waiting: { total: 64, perWorkspace: 64, perCaller: 64 },
  maxWaitMs: 120_000,
};

/** Converts two pictures at a time, workspaces in turn. One of the two may be large, and one may be a drawing. */
export class PictureConversions {
  readonly #decoders = new FairQueue({
    what: "pictures",
    slots: { total: 2, perWorkspace: 2, perCaller: 2 },
    ...patience,
  });
  readonly #large = new FairQueue({
    what: "large pictures",
    slots: { total: 1, perWorkspace: 1, perCaller: 1 },
    ...patience,
  });

  readonly #drawings = new FairQueue({
    what: "drawings",
    slots: { total: 1, perWorkspace: 1, perCaller: 1 },
    ...patience,
  });

  /** Writes the result of each conversion to a file in the directory. */
  async convert(
    { caller, origin }: ConversionClient,
    source: string,
    conversions: Readonly<Record<string, PictureConversion>>,
    directory: string,
  ): Promise<ConvertedFile[]> {
    const { isLarge } = await inspectPicture(source);
    const convert = () =>
      this.#decoders.run(caller, () => convertEach(source, conversions, directory), origin);
    return isLarge ? this.#large.run(caller, convert, origin) : convert();
  }

  /** Writes the video of an MP4 of at most a minute to a file of its own. */
  rewriteClip({ caller, origin }: ConversionClient, source: string, target: string): Promise<RewrittenMp4> {
    const rewrite = () => rewriteMp4([source], target, { maxSeconds: maxClipSeconds }, origin.signal);
    return this.#decoders.run(caller, rewrite, origin);
  }

  /** Draws on a picture. Uploads never wait for more than one such drawing. */
  async draw(
    client: ConversionClient,
    source: string,
    drawing: PictureDrawing,
    directory: string,
  ): Promise<string> {
    const convert = () => this.convert(client, source, { drawing }, directory);
    const [drawn] = await this.#drawings.run(client.caller, convert, client.origin);
    return defined(drawn).file;
  }
}

async function convertEach(
  source: string,
  conversions: Readonly<Record<string, PictureConversion>>,
  directory: string,
): Promise<ConvertedFile[]> {
  const converted: ConvertedFile[] = [];
  let from = source;
  for (const [name, conversion] of Object.entries(conversions)) {
    const file = path.join(directory, name);
    converted.push({ name, file, ...(await convertPicture(from, conversion, file)) });
    // Continue from the result: the original may be costly to decode, its conversion never is.
    if (conversion === "original size" || conversion === "taken") from = file;
  }
  return converted;
}
