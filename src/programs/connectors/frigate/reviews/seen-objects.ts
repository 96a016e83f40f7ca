import { LRUCache } from "lru-cache";
import type { FrigateClient } from "../frigate-client.js";
import { FrigateError } from "../frigate-client.js";
import { objectsOfResponse, type TrackedObject } from "../frigate-messages.js";
import type { FrigateCamera } from "../frigate-site.js";
import type { SeenObject } from "./review-alert.js";

/** The objects that are remembered; a site has some dozens at a time. */
const maxObjects = 5000;
/** The objects that one request asks for, to keep its address short. */
const maxAsked = 50;

/** Where the objects of reviews are: as messages told, or else as Frigate has stored it. */
export class SeenObjects {
  readonly #latest = new LRUCache<string, TrackedObject>({ max: maxObjects });

  /** Remembers where an object is now. Messages may come out of order. */
  see(object: TrackedObject): void {
    const known = this.#latest.get(object.id);
    if (!known || object.hasEnded || object.seenAt >= known.seenAt) this.#latest.set(object.id, object);
  }

  /** What is known of objects, in the order of their ids; those that nobody knows are left out. */
  async find(
    ids: readonly string[],
    site: FrigateCamera | null,
    client: FrigateClient,
  ): Promise<SeenObject[]> {
    const sorted = ids.toSorted();
    const seen = new Map(
      sorted.flatMap((id) => {
        const object = this.#latest.get(id);
        return object ? [[id, relativeObject(object, site)] as const] : [];
      }),
    );
    const unseen = sorted.filter((id) => !seen.has(id)).slice(0, maxAsked);
    if (unseen.length > 0) for (const object of await stored(client, unseen)) seen.set(object.id, object);
    return sorted.flatMap((id) => seen.get(id) ?? []);
  }
}

async function stored(client: FrigateClient, ids: readonly string[]): Promise<SeenObject[]> {
  try {
    return objectsOfResponse(await client.json("/api/event_ids", { ids: ids.join(",") }));
  } catch (error) {
    // An alert without the positions of its objects is better than none.
    if (error instanceof FrigateError) return [];
    throw error;
  }
}

function relativeObject(
  { id, label, box, zones, hasEnded }: TrackedObject,
  site: FrigateCamera | null,
): SeenObject {
  const { width, height } = site?.detect ?? { width: 0, height: 0 };
  const relative = {
    left: box.left / width,
    top: box.top / height,
    right: box.right / width,
    bottom: box.bottom / height,
  };
  return { id, label, zones, hasEnded, box: site ? relative : null };
}
