import type { FrigateClient } from "../frigate-client.js";
import type { SeenObject } from "./review-alert.js";

/** The objects of a review that are asked for a picture. */
const maxObjects = 5;

/**
 * A picture of a review's objects without boxes and texts, or else as Frigate has kept it; null if there is
 * none, or none yet. An object in the review's zone comes first.
 */
export async function pictureOf(
  client: FrigateClient,
  objectIds: readonly string[],
  { objects, zone }: { objects: readonly SeenObject[]; zone: string | null },
): Promise<Buffer | null> {
  const known = new Map(objects.map((object) => [object.id, object]));
  const isElsewhere = (id: string) => (zone !== null && known.get(id)?.zones.includes(zone) ? 0 : 1);
  const ids = objectIds.toSorted().sort((one, other) => isElsewhere(one) - isElsewhere(other));
  for (const id of ids.slice(0, maxObjects)) {
    const picture = await pictureOfObject(client, id, known.get(id)?.hasEnded ?? false);
    if (picture) return picture;
  }
  return null;
}

/**
 * While Frigate tracks an object, it draws the picture that it is asked for. Afterwards it has what it has kept: a
 * clean copy, as WebP since 0.17 and as PNG before, and one that is drawn as its configuration says.
 */
async function pictureOfObject(client: FrigateClient, id: string, hasEnded: boolean): Promise<Buffer | null> {
  const path = `/api/events/${encodeURIComponent(id)}`;
  const live = `${path}/snapshot.jpg?bbox=0&timestamp=0&crop=0`;
  const kept = [`${path}/snapshot-clean.webp`, `${path}/snapshot-clean.png`, live];
  for (const each of hasEnded ? kept : [live]) {
    const picture = await client.picture(each);
    if (picture) return picture;
  }
  return null;
}
