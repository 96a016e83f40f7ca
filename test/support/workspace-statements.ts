import { Prisma } from "../../src/generated/prisma/client.js";

/** The tables that lead to a workspace: what they are asked with is all that is known. */
const lookups = ["AuthIdLookup", "ApiKeyLookup", "StreamRequestLookup"];
const tablesOfWorkspaces = new Set<string>(Object.values(Prisma.ModelName).filter((name) => !lookups.includes(name)));

/** The statements that may concern several workspaces, and why. */
const exceptions: Record<string, RegExp> = {
  "a worker asks when something is due next":
    /^SELECT [^()]* FROM "public"\."(?:AlertUpload|ObjectRemoval|StreamRequest)" WHERE [^()]* ORDER BY \S*"(?:dueAt|nextDeliveryAt)" ASC LIMIT/,
  "a worker looks for the next workspace with due work":
    /^SELECT [^()]* FROM "public"\."(?:AlertUpload|Camera|ObjectRemoval|StreamRequest)" WHERE .* ORDER BY \S*"workspaceId" ASC LIMIT/,
  "the sole user of an embedded database takes over what the last process left, at the start":
    /^UPDATE "public"\."ObjectRemoval" SET "(?:dueAt|claimedUntil)" = \$1 WHERE/,
  "the demo asks whether there is any workspace": /^SELECT COUNT\(\*\) .*"Workspace"/,
  "the demo fills all tables": /^INSERT INTO "\w+" \(.*\) SELECT .* FROM jsonb_populate_recordset\(/,
};

/** A reference to a table, outside of the names of columns. */
const reference = /\b(?:FROM|JOIN|UPDATE|INTO)\s+(?:"public"\.)?"(\w+)"/g;
/** Compares the workspace of a table: of the workspaces themselves, their id. */
const comparison = /"workspaceId"\)? (?:=|IN) |"Workspace"(?:"?\."id"| WHERE "id")\)? = /g;

/**
 * Whether a statement names the workspace for each of its tables: it compares `workspaceId` as often as it refers to a table, or
 * inserts it.
 */
export function namesWorkspace(sql: string): boolean {
  const statement = sql.replace(/\s+/g, " ").trim();
  const tables = [...statement.matchAll(reference)].map(([, table]) => table as string).filter((table) => tablesOfWorkspaces.has(table));
  const [, inserted] = /INSERT INTO (?:"public"\.)?"\w+" (?:AS \w+ )?\(([^)]*)\)/.exec(statement) ?? [];
  const insertions = inserted?.includes('"workspaceId"') ? 1 : 0;
  const comparisons = statement.match(comparison)?.length ?? 0;
  return tables.length <= comparisons + insertions || Object.values(exceptions).some((exception) => exception.test(statement));
}

const found = new Set<string>();
let ownStatements = 0;

/** Remembers a statement of a gateway that does not name the workspace, unless a test may have run it. */
export function checkStatement(sql: string): void {
  if (ownStatements === 0 && !namesWorkspace(sql)) found.add(sql);
}

/** Runs statements of a test. */
export async function ownStatement<Result>(run: () => Promise<Result>): Promise<Result> {
  ownStatements += 1;
  try {
    return await run();
  } finally {
    ownStatements -= 1;
  }
}

/** The statements found since the last time that do not name the workspace. */
export function takeStatementsWithoutWorkspace(): string[] {
  const statements = [...found];
  found.clear();
  return statements;
}
