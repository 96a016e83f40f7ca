import pLimit from "p-limit";
import { KeyPartitions } from "./key-partitions.js";
import type { ObjectStore } from "./object-store.js";
import { isStillStored, type Read, type StoredKey, scheduledAmong, storedKeys } from "./stored-keys.js";

interface StoreCheckDependencies {
  store: ObjectStore;
  read: Read;
  /**
   * An empty directory for the comparison, which takes some 200 bytes for each object and each row that refers to one.
   */
  directory: string;
}

/** A row whose object is missing, or the key of an object without a row. */
export type StoreDifference = { missing: StoredKey } | { unused: string };

interface StoreCheckCounts {
  objects: number;
  references: number;
}

/** A key in the database or, without a table, in the store. */
type FoundKey = StoredKey | { key: string };

const isInDatabase = (found: FoundKey): found is StoredKey => "table" in found;
const isReference = (found: FoundKey): found is StoredKey =>
  isInDatabase(found) && found.table !== "ObjectRemoval";

const batchSize = 5_000;
/** The maximum number of objects to ask for at once. */
const maxRequests = 16;

/**
 * Compares the objects in the store with the rows that refer to them, and returns the counts. Needs bounded memory.
 * Gateways may keep running. Reports a difference only if it still exists after both sides have been read.
 */
export async function* checkStore({
  store,
  read,
  directory,
}: StoreCheckDependencies): AsyncGenerator<StoreDifference, StoreCheckCounts> {
  const partitions = new KeyPartitions<FoundKey>(directory);
  const counts = { objects: 0, references: 0 };
  // List the store first. The check of differences below finds objects that were stored after this listing.
  for await (const key of store.list()) {
    counts.objects += 1;
    await partitions.add({ key });
  }
  for await (const found of storedKeys(read)) {
    if (isReference(found)) counts.references += 1;
    await partitions.add(found);
  }
  for await (const batch of batches(differencesIn(partitions)))
    yield* await confirmed(batch, { store, read });
  return counts;
}

async function* differencesIn(partitions: KeyPartitions<FoundKey>): AsyncGenerator<StoreDifference> {
  for await (const partition of partitions.read()) {
    for (const [key, found] of partition) {
      if (found.every(isInDatabase)) yield* found.filter(isReference).map((missing) => ({ missing }));
      else if (!found.some(isInDatabase)) yield { unused: key };
    }
  }
}

async function* batches<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item[]> {
  let batch: Item[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** The differences that still exist. */
async function confirmed(
  differences: readonly StoreDifference[],
  { store, read }: Omit<StoreCheckDependencies, "directory">,
): Promise<StoreDifference[]> {
  // Ask the store first: an object that is missing before its row is read again was not deleted with the row.
  const asked = await pLimit(maxRequests).map(differences, async (difference) => {
    const isStored = await store.has("missing" in difference ? difference.missing.key : difference.unused);
    return isStored === "unused" in difference ? [difference] : [];
  });
  const remaining = asked.flat();
  const unused = remaining.flatMap((difference) => ("unused" in difference ? difference.unused : []));
  // A new object under the same key would have a reservation.
  const scheduled = unused.length > 0 ? await scheduledAmong(read, unused) : new Set();
  const results: StoreDifference[] = [];
  for (const difference of remaining) {
    const isConfirmed =
      "unused" in difference
        ? !scheduled.has(difference.unused)
        : await isStillStored(read, difference.missing);
    if (isConfirmed) results.push(difference);
  }
  return results;
}
