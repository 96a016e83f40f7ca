// Runs once: both kinds of databases run the same statements.
// Not on a cluster: the test reads the keys of a database that is not distributed.
import { migratedDatabase } from "./fresh-database.js";

/** The first column of an index or of a reference. */
const firstColumn = (keys: string, table: string) =>
  `(SELECT attname FROM pg_attribute WHERE attrelid = ${table} AND attnum = ${keys})`;
/** The tables of no workspace or that lead to one, and the workspaces themselves. */
const leading = [
  "ApiKeyLookup",
  "AuthIdLookup",
  "EmailLookup",
  "InvitationLookup",
  "SignInLinkRequest",
  "StreamRequestLookup",
  "Workspace",
];

describe("the schema", () => {
  it("has the workspace first in every index, except where workers look for the next due work of any workspace", async () => {
    const connection = await migratedDatabase();
    const others = await connection.query(`
      SELECT indexrelid::regclass::text AS "index" FROM pg_index JOIN pg_class AS item ON item.oid = indrelid
      WHERE relnamespace = 'public'::regnamespace AND relname <> '_prisma_migrations' AND ${firstColumn("indkey[0]", "indrelid")} <> 'workspaceId'
      ORDER BY 1`);
    const exceptions = [
      ...leading.map((table) => `"${table}_pkey"`),
      '"AlertClip_dueAt_idx"',
      '"AlertUpload_dueAt_idx"',
      '"CameraFeed_dueAt_idx"',
      '"Digest_dueAt_idx"',
      '"InvitationLookup_email_idx"',
      '"ObjectRemoval_dueAt_idx"',
      '"SignInLinkRequest_answeredAt_id_idx"',
      '"SignInLinkRequest_email_idx"',
    ];
    expect(others.map(({ index }) => index)).toEqual(exceptions.sort());
  });

  it("refers to rows by their workspace, and changes no row because the one it refers to has another key", async () => {
    const connection = await migratedDatabase();
    const references = await connection.query(`
      SELECT conname AS "name", ${firstColumn("conkey[1]", "conrelid")} AS "column", confupdtype AS "onUpdate" FROM pg_constraint
      WHERE contype = 'f' AND connamespace = 'public'::regnamespace`);
    expect(references).toHaveLength(23);
    expect(references.filter(({ column, onUpdate }) => column !== "workspaceId" || onUpdate !== "a")).toEqual(
      [],
    );
  });

  it("takes no other values in the columns that were enums", async () => {
    const connection = await migratedDatabase();
    const checks = await connection.query(`
      SELECT conname AS "name" FROM pg_constraint WHERE conname ~ '_(streamType|streamProtocol|source)_check$' ORDER BY 1`);
    expect(checks.map(({ name }) => name)).toEqual([
      "Camera_streamProtocol_check",
      "Camera_streamType_check",
      "StatusChange_source_check",
      "StreamRequest_streamProtocol_check",
      "StreamRequest_streamType_check",
    ]);
  });
});
