import { AsyncLocalStorage } from "node:async_hooks";
import { loadModule, parseSync } from "libpg-query";
import { Prisma } from "../../src/generated/prisma/client.js";

/**
 * The tables that lead to a workspace, and those of none. Callers know only their keys.
 */
const lookups: string[] = [
  "AuthIdLookup",
  "ApiKeyLookup",
  "StreamRequestLookup",
  "EmailLookup",
  "InvitationLookup",
  "SignInLinkRequest",
];
const tablesOfWorkspaces = new Set<string>(
  Object.values(Prisma.ModelName).filter((name) => !lookups.includes(name)),
);

/** The statements that may concern several workspaces, and why. */
const exceptions: Record<string, RegExp> = {
  "a worker asks when something is due next":
    /^SELECT min\("dueAt"\) AS "first", max\("dueAt"\) AS "last" FROM "(?:AlertClip|AlertUpload|CameraFeed|Digest|ObjectRemoval)" WHERE (?:TRUE|"failures" = 0[^()]*?)(?: AND \( "ringUntil" BETWEEN \$\d+::timestamptz AND \$\d+::timestamptz AND "ringHolder" <> \$\d+::uuid\) IS NOT TRUE)?$/,
  "a worker looks for the next workspace with due work":
    /^SELECT "workspaceId" FROM "(?:AlertClip|AlertUpload|CameraFeed|Delivery|Digest|Facility|ObjectRemoval)" WHERE "workspaceId" >=? \$1::uuid AND "workspaceId" <> ALL\(\$2::uuid\[\]\) AND [^;]* ORDER BY "workspaceId" LIMIT 1$/,
  "a worker looks for the next workspace with deleted places":
    /^SELECT [^()]*"workspaceId"[^()]* FROM "public"\."(Camera|Facility)" WHERE \("public"\."\1"\."workspaceId" >=? \$1 [^;]* ORDER BY "public"\."\1"\."workspaceId" ASC LIMIT \$\d+ OFFSET \$\d+$/,
  "the feed looks for due times of a clock that was ahead":
    /^SELECT "workspaceId" FROM "CameraFeed" WHERE "dueAt" IS NOT NULL AND \([^;]*\) LIMIT 1$/,
  "the feed asks whether other workspaces have cameras that it opens":
    /^SELECT [^()]*"workspaceId"[^()]* FROM "public"\."CameraFeed" WHERE \("public"\."CameraFeed"\."workspaceId" (?:<> \$1|NOT IN \([^()]*\)) AND "public"\."CameraFeed"\."dueAt" IS NOT NULL\) LIMIT \$\d+ OFFSET \$\d+$/,
  "a code that names no workspace is used once in all of them":
    /^SELECT COUNT\(\*\) .* FROM "public"\."UsedSignInCode" WHERE "public"\."UsedSignInCode"\."codeHash" = /,
  "a worker goes from workspace to workspace":
    /^SELECT "public"\."Workspace"\."id" FROM "public"\."Workspace" WHERE (?:1=1|"public"\."Workspace"\."id" > \$1) ORDER BY "public"\."Workspace"\."id" ASC LIMIT \$\d+ OFFSET \$\d+$/,
  "the check of the store goes from workspace to workspace":
    /^SELECT "workspaceId" FROM "\w+" WHERE "workspaceId" >=? \$1::uuid ORDER BY "workspaceId" LIMIT 1$/,
  "the metrics of all workspaces":
    /^SELECT waiting\."channel", .* FROM "Workspace" AS workspace CROSS JOIN LATERAL \( \(SELECT [^()]* WHERE delivery\."workspaceId" = workspace\."id" [^()]*\) UNION ALL \(SELECT [^()]* WHERE delivery\."workspaceId" = workspace\."id" /,
  "the size of all clips": /^SELECT coalesce\(sum\("size"\), 0\)::float8 AS "bytes" FROM "AlertClip"$/,
  "the sole user of an embedded database takes over what the last process left":
    /^UPDATE "public"\."ObjectRemoval" SET (?:"dueAt" = \$1 WHERE 1=1|"claimedUntil" = \$1 WHERE "public"\."ObjectRemoval"\."claimedUntil" IS NOT NULL)$/,
  "the demo asks whether there is any workspace":
    /^SELECT COUNT\(\*\) AS "_count\$_all" FROM \(SELECT "public"\."Workspace"\."id" FROM "public"\."Workspace" /,
};

// biome-ignore lint/suspicious/noExplicitAny: a syntax tree has hundreds of types of nodes
type Node = any;

/** A table in FROM, or the target of a statement. */
interface Source {
  alias: string;
  /**
   * The table; undefined for a subquery or a function, which name the workspace
   * themselves if necessary.
   */
  table: string | undefined;
}

/**
 * The tables of a statement whose rows it does not limit to one workspace by a condition
 * on every row.
 */
export function tablesWithoutWorkspace(sql: string): string[] {
  const found: string[] = [];
  visit(parseSync(sql), found);
  return found;
}

function visit(node: Node, found: string[]): void {
  if (typeof node !== "object" || node === null) return;
  for (const [kind, child] of Object.entries<Node>(node)) {
    if (kind === "SelectStmt" || kind === "UpdateStmt" || kind === "DeleteStmt")
      found.push(...unlimitedTables(child));
    if (kind === "InsertStmt" && isOfWorkspace(child.relation?.relname) && !insertsWorkspace(child))
      found.push(child.relation.relname);
    if (kind === "LockStmt" || kind === "TruncateStmt")
      found.push(...child.relations.map((relation: Node) => relation.RangeVar.relname));
    visit(child, found);
  }
}

/** The column that says which workspace a row of a table belongs to. */
const workspaceColumn = (table: string | undefined) => (table === "Workspace" ? "id" : "workspaceId");

const insertsWorkspace = ({ relation, cols }: Node): boolean =>
  cols?.some((column: Node) => column.ResTarget.name === workspaceColumn(relation.relname)) === true;

const isOfWorkspace = (table: string | undefined) => table !== undefined && tablesOfWorkspaces.has(table);

/** Checks one level of a statement. Nested statements have their own levels. */
function unlimitedTables(statement: Node): string[] {
  const conditions = conjunction(statement.whereClause);
  const items = [
    ...(statement.fromClause ?? []),
    ...(statement.usingClause ?? []),
    ...(statement.relation ? [{ RangeVar: statement.relation }] : []),
  ];
  const sources = items.flatMap((item) => sourcesOf(item, conditions));
  const unlimited = new Map(
    sources.flatMap(({ alias, table }) => (table === undefined ? [] : [[alias, table] as const])),
  );
  const comparisons = conditions
    .map((condition) => comparedSides(condition, sources))
    .flatMap(([one, other]) => [[one, other] as const, [other, one] as const]);
  // The condition of one table may limit another, so this repeats until it finds no more.
  for (let size = -1; size !== unlimited.size; ) {
    size = unlimited.size;
    for (const [side, against] of comparisons)
      if (side?.alias !== undefined && isLimited(against, unlimited)) unlimited.delete(side.alias);
  }
  return [...unlimited.values()];
}

/**
 * The sources in an item of FROM; the conditions of its joins are added to the others.
 */
function sourcesOf(item: Node, conditions: Node[]): Source[] {
  if (item.JoinExpr) {
    const { larg, rarg, quals } = item.JoinExpr;
    conditions.push(...conjunction(quals));
    return [...sourcesOf(larg, conditions), ...sourcesOf(rarg, conditions)];
  }
  if (item.RangeVar) {
    const { relname, alias } = item.RangeVar;
    return [{ alias: alias?.aliasname ?? relname, table: isOfWorkspace(relname) ? relname : undefined }];
  }
  const [source] = Object.values<Node>(item);
  return [{ alias: source.alias?.aliasname ?? "", table: undefined }];
}

function isLimited(side: Side | undefined, unlimited: ReadonlyMap<string, string>): boolean {
  if (side?.alias === undefined) return side?.isValue === true;
  return !unlimited.has(side.alias);
}

function conjunction(condition: Node): Node[] {
  if (!condition) return [];
  if (condition.BoolExpr?.boolop === "AND_EXPR") return condition.BoolExpr.args.flatMap(conjunction);
  return [condition];
}

/** One side of a comparison: the workspace of a source, or a value. */
interface Side {
  alias?: string;
  isValue?: boolean;
}

function comparedSides(condition: Node, sources: readonly Source[]): [Side | undefined, Side | undefined] {
  const { kind, name, lexpr, rexpr } = condition.A_Expr ?? {};
  const isEquality =
    name?.[0]?.String?.sval === "=" && ["AEXPR_OP", "AEXPR_OP_ANY", "AEXPR_IN"].includes(kind);
  return isEquality ? [sideOf(lexpr, sources), sideOf(rexpr, sources)] : [undefined, undefined];
}

function sideOf(expression: Node, sources: readonly Source[]): Side | undefined {
  if (Array.isArray(expression) || expression.List) return { isValue: true };
  if (expression.TypeCast) return sideOf(expression.TypeCast.arg, sources);
  if (expression.ParamRef || expression.A_Const) return { isValue: true };
  const names: string[] = expression.ColumnRef?.fields.map((field: Node) => field.String?.sval) ?? [];
  const [column, qualifier] = names.toReversed();
  const tables = sources.filter(({ table }) => table !== undefined);
  const alias = qualifier ?? (tables.length === 1 ? tables[0]?.alias : undefined);
  const source = sources.find((each) => each.alias === alias);
  if (column === workspaceColumn(source?.table) && alias !== undefined) return { alias };
  return undefined;
}

const known = new Set<string>();
const found = new Set<string>();
const ownStatements = new AsyncLocalStorage<boolean>();

/** Await this once before calling {@link checkStatement}. */
export const loadParser = loadModule;

/** Remembers a statement of a gateway that does not name the workspace. */
export function checkStatement(sql: string): void {
  if (ownStatements.getStore() || known.has(sql)) return;
  known.add(sql);
  const statement = sql.replace(/\s+/g, " ").trim();
  if (Object.values(exceptions).some((exception) => exception.test(statement))) return;
  const tables = tablesWithoutWorkspace(sql);
  if (tables.length > 0) found.add(`${tables.join(", ")}: ${statement}`);
}

/** Runs statements of a test, which may concern any workspace. */
export function runOwnStatements<Result>(run: () => Promise<Result>): Promise<Result> {
  return ownStatements.run(true, async () => await run());
}

/** The statements found since the last time that do not name the workspace. */
export function takeStatementsWithoutWorkspace(): string[] {
  const statements = [...found];
  found.clear();
  return statements;
}
