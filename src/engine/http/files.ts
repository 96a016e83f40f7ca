import { stat } from "node:fs/promises";
import path from "node:path";
import { type Request, type Response, Router } from "express";
import { invalidLink, notFound } from "../../platform/errors/errors.js";
import type { RateLimits } from "../access/rate-limits.js";
import type { ObjectStore } from "../storage/object-store.js";
import type { SignedLinks } from "../storage/signed-link.js";
import { methodNotAllowed, readMethods } from "./methods.js";
import { assertPreconditions, wantsRange } from "./preconditions.js";
import { originOf } from "./request-origin.js";

/** `/files/…`: serves pictures and clips to holders of a valid signed link. */
export class SignedFiles {
  readonly #links: SignedLinks;
  readonly #store: ObjectStore;
  readonly #rateLimits: RateLimits;

  constructor(links: SignedLinks, store: ObjectStore, rateLimits: RateLimits) {
    this.#links = links;
    this.#store = store;
    this.#rateLimits = rateLimits;
  }

  /** Serves the links to keys below a folder, or to all keys. `send` answers requests whose link is valid. */
  router(
    folder: string | undefined,
    send: (key: string, request: Request, response: Response) => Promise<void>,
  ): Router {
    const router = Router();
    const pattern = `/files/${folder === undefined ? "" : `${folder}/`}*key`;
    router.get(pattern, async (request, response) => {
      const key = request.path.slice("/files/".length);
      if (!this.#links.isValid(key, String(request.query.expires), String(request.query.signature))) {
        await this.#rateLimits.countAddress(originOf(request).address);
        throw invalidLink();
      }
      response.set({
        // Browsers must treat a stored file as a picture or clip only, whatever its bytes look like.
        "content-security-policy": `default-src 'none'; ${
          // The page that browsers make for a clip loads it once more.
          key.endsWith(".mp4") ? "media-src 'self'; sandbox allow-same-origin" : "sandbox"
        }`,
        "x-content-type-options": "nosniff",
        "cross-origin-resource-policy": "cross-origin",
        "cache-control": "private, max-age=3600, immutable",
      });
      await send(key, request, response);
    });
    router.all(pattern, methodNotAllowed(readMethods));
    return router;
  }

  async sendObject(key: string, request: Request, response: Response): Promise<void> {
    const location = await this.#store.locate(key, request.method === "HEAD" ? "HEAD" : "GET");
    if (location === undefined) throw notFound();
    if ("url" in location) {
      // Do not cache the redirect as long as the picture: its URL is valid only for minutes.
      response.set("cache-control", "private, no-store").redirect(302, location.url);
      return;
    }
    const { directory: root, file } = location;
    const found = await stat(path.join(root, file)).catch(() => undefined);
    if (!found?.isFile()) throw notFound();
    // Use a strong tag: an object never changes, and is never sent compressed.
    response.set({
      etag: `"${found.size.toString(16)}-${found.mtimeMs.toString(16)}"`,
      "last-modified": found.mtime.toUTCString(),
    });
    assertPreconditions(request.headers, response);
    if (!wantsRange(request.headers, response)) delete request.headers.range;
    // Express refuses the last bytes of a file that has fewer.
    const [, last] = /^bytes=-(\d+)$/.exec(request.headers.range ?? "") ?? [];
    if (Number(last) > found.size) request.headers.range = "bytes=0-";
    await new Promise<void>((resolve, reject) => {
      response.sendFile(
        file,
        { root, cacheControl: false, dotfiles: "deny" },
        (error?: Error & { status?: number }) => {
          if (!error || response.headersSent) return resolve();
          // For an unsatisfiable range, Express has already set the headers.
          if (error.status === 416) resolve(void response.status(416).end());
          else reject(error.status === 404 ? notFound() : error);
        },
      );
    });
  }
}
