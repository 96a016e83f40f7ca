import { Prisma } from "../../generated/prisma/client.js";
import { entriesOf } from "../../platform/record.js";
import { isStoredKey } from "./object-store.js";

export type Read = <Row>(statement: Prisma.Sql) => Promise<Row[]>;

/**
 * The columns that refer to objects, by table. An uploaded picture moves from `AlertUpload` to `Alert`, and a clip to
 * `AlertClip`, never back.
 */
const referringColumns = {
  AlertUpload: ["url", "thumbnailUrl"],
  Alert: ["url", "thumbnailUrl"],
  AlertClip: ["key"],
  Camera: ["imageLink", "thumbnail"],
  Calibration: ["calibratedImage", "croppedImage", "gridImage"],
  User: ["picture"],
} satisfies Partial<Record<Prisma.ModelName, string[]>>;

/** The column that tells a row from others of its workspace. */
const idOf = (table: StoredKey["table"]) => Prisma.raw(table === "AlertClip" ? `"alertId"` : `"id"`);

/** A value in the database that is the key of an object. */
export interface StoredKey {
  key: string;
  table: keyof typeof referringColumns | "ObjectRemoval";
  column: string;
  workspaceId: string;
  id: string;
}

const firstId = "00000000-0000-0000-0000-000000000000";
const batchSize = 5_000;

/**
 * Every key in the database. `ObjectRemoval` reserves the key of an object, then a row keeps the key, and finally
 * `ObjectRemoval` schedules its deletion. Reading in this order misses no key that moves on in the meantime.
 */
export async function* storedKeys(read: Read): AsyncGenerator<StoredKey> {
  yield* keysIn(read, "ObjectRemoval", ["key"]);
  for (const [table, columns] of entriesOf(referringColumns)) yield* keysIn(read, table, columns);
  yield* keysIn(read, "ObjectRemoval", ["key"]);
}

type KeyRow = { id: string } & Record<string, string | null>;

const namesInSql = (names: readonly string[]) => Prisma.raw(names.map((name) => `"${name}"`).join(", "));

async function* keysIn(
  read: Read,
  table: StoredKey["table"],
  columns: readonly string[],
): AsyncGenerator<StoredKey> {
  for await (const workspaceId of workspacesOf(read, table)) {
    for await (const row of rowsOf(read, { table, columns, workspaceId })) {
      for (const column of columns) {
        const key = row[column];
        if (key && isStoredKey(key)) yield { key, table, column, workspaceId, id: row.id };
      }
    }
  }
}

/** Each statement names the workspace, whose rows share one node of a cluster, and follows the primary key. */
async function* rowsOf(
  read: Read,
  {
    table,
    columns,
    workspaceId,
  }: { table: StoredKey["table"]; columns: readonly string[]; workspaceId: string },
): AsyncGenerator<KeyRow> {
  const id = idOf(table);
  let following = Prisma.sql`${id} >= ${firstId}::uuid`;
  for (let rows: KeyRow[] | undefined; rows === undefined || rows.length === batchSize; ) {
    rows = await read<KeyRow>(Prisma.sql`
      SELECT ${id} AS "id", ${namesInSql(columns)} FROM ${namesInSql([table])}
      WHERE "workspaceId" = ${workspaceId}::uuid AND ${following} AND num_nonnulls(${namesInSql(columns)}) > 0 ORDER BY ${id} LIMIT ${batchSize}::int`);
    yield* rows;
    following = Prisma.sql`${id} > ${rows.at(-1)?.id ?? firstId}::uuid`;
  }
}

/** The workspaces with rows in a table. Some of them may have been removed themselves. */
async function* workspacesOf(read: Read, table: StoredKey["table"]): AsyncGenerator<string> {
  let following = Prisma.sql`"workspaceId" >= ${firstId}::uuid`;
  for (;;) {
    const [next] = await read<{ workspaceId: string }>(
      Prisma.sql`SELECT "workspaceId" FROM ${namesInSql([table])} WHERE ${following} ORDER BY "workspaceId" LIMIT 1`,
    );
    if (!next) return;
    yield next.workspaceId;
    following = Prisma.sql`"workspaceId" > ${next.workspaceId}::uuid`;
  }
}

/** Whether a row still has the key that was read before. */
export async function isStillStored(
  read: Read,
  { key, table, column, workspaceId, id }: StoredKey,
): Promise<boolean> {
  const rows = await read<object>(Prisma.sql`
    SELECT FROM ${namesInSql([table])} WHERE "workspaceId" = ${workspaceId}::uuid AND ${idOf(table)} = ${id}::uuid AND ${namesInSql([column])} = ${key}`);
  return rows.length > 0;
}

/** The given keys that are now reserved, or scheduled for deletion. */
export async function scheduledAmong(read: Read, keys: readonly string[]): Promise<Set<string>> {
  const scheduled = new Set<string>();
  for await (const workspaceId of workspacesOf(read, "ObjectRemoval")) {
    const rows = await read<{ key: string }>(
      Prisma.sql`SELECT "key" FROM "ObjectRemoval" WHERE "workspaceId" = ${workspaceId}::uuid AND "key" = ANY(${[...keys]}::text[])`,
    );
    for (const { key } of rows) scheduled.add(key);
  }
  return scheduled;
}
