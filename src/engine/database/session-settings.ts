/**
 * A session setting that our statements rely on, whatever the database, the role or the server's configuration sets.
 */
interface SessionSetting {
  /** The value that we set where we can. */
  value: string;
  /** Whether our statements also work with another value, where we cannot set ours. By default they do not. */
  accepts?: (value: string) => boolean;
}

/** Settings of every connection: poolers such as PgBouncer forward these startup parameters. `pg` sets the encoding. */
const handedOn: Readonly<Record<string, SessionSetting>> = {
  // Prisma's adapters exchange timestamps with the database without their time zone.
  TimeZone: { value: "UTC", accepts: (value) => /^(Etc\/)?UTC$/.test(value) },
  DateStyle: { value: "ISO, MDY", accepts: (value) => value.startsWith("ISO") },
  standard_conforming_strings: { value: "on" },
};

/** Settings that only a server itself accepts as startup parameters: poolers refuse or ignore them. */
const ofServers: Readonly<Record<string, SessionSetting>> = {
  extra_float_digits: { value: "1", accepts: (value) => Number(value) >= 1 },
  bytea_output: { value: "hex" },
  array_nulls: { value: "on" },
  transform_null_equals: { value: "off" },
  quote_all_identifiers: { value: "off" },
  default_transaction_isolation: { value: "read committed", accepts: (value) => value.startsWith("read ") },
  default_transaction_deferrable: { value: "off" },
  // Otherwise, an expected error would end the session.
  exit_on_error: { value: "off" },
  // Migrations create tables with this method. Tables of other methods cannot be updated or referred to.
  default_table_access_method: { value: "heap" },
  timezone_abbreviations: { value: "Default" },
  IntervalStyle: { value: "postgres" },
  lock_timeout: { value: "0", accepts: (value) => value === "0" || Number(value) >= leastLockTimeoutMs },
};

/** The least time limit for locks: with a shorter one, writes that only wait for a lock would fail. */
const leastLockTimeoutMs = 1_000;

/** The least time limit for transactions: longer than any transaction of a request may take. */
const leastTransactionTimeoutMs = 60_000;

const schema = "public";

/**
 * Settings that we prefer but do not rely on. JIT would compile statements on every execution, which for those
 * estimated as costly took longer than the statements. Idle connections stay, such as one that waits for events.
 */
const preferred = { jit: "off", idle_session_timeout: "0" };

/** The time beyond a statement's limit that a transaction may wait for the gateway, and the gateway for the server. */
const graceMs = 5_000;

/** The time-outs that the server must apply, in milliseconds; 0 for none. */
export function serverTimeouts(statementTimeoutMs: number) {
  return {
    statement_timeout: statementTimeoutMs,
    // Otherwise, the server would keep the locks of a transaction whose connection is dead.
    idle_in_transaction_session_timeout: statementTimeoutMs > 0 ? statementTimeoutMs + graceMs : 0,
  };
}

const valuesOf = (settings: Readonly<Record<string, SessionSetting>>) =>
  Object.fromEntries(Object.entries(settings).map(([name, { value }]) => [name, value]));

/** Startup parameters of every connection. They take precedence over `options`, the role and the database. */
export const handedOnParameters: Readonly<Record<string, string>> = valuesOf(handedOn);

/** Startup parameters of connections to a server itself, with the given limit of statements. */
export function serverParameters(statementTimeoutMs: number): Record<string, string> {
  const timeouts = Object.entries(serverTimeouts(statementTimeoutMs)).map(([name, value]) => [
    name,
    String(value),
  ]);
  return { ...valuesOf(ofServers), ...preferred, search_path: schema, ...Object.fromEntries(timeouts) };
}

/**
 * Statements that apply all of these settings in the session of an embedded database, whose configuration
 * may have other values.
 */
export const setEmbedded: string = Object.entries({
  ...handedOnParameters,
  ...serverParameters(0),
  // Set these only here: nobody else has the server to themselves.
  session_replication_role: "origin",
  default_transaction_read_only: "off",
  transaction_timeout: "0",
  synchronous_commit: "on",
})
  .map(([name, value]) => `SET ${name} = '${value}'`)
  .join(";");

export interface SessionState {
  pid: number;
  /** The role and database in the form of `ALTER ROLE`. */
  role: string;
  /** The first schema of the search path that exists. */
  schema: string | null;
  /** Settings by their names, in the units of `pg_settings`. */
  settings: Record<string, string>;
}

const required: Readonly<Record<string, SessionSetting>> = {
  ...handedOn,
  ...ofServers,
  // Triggers count alerts.
  session_replication_role: { value: "origin" },
  // An operator may have forbidden writes for the moment.
  default_transaction_read_only: { value: "off" },
  // Older versions of PostgreSQL lack this setting.
  transaction_timeout: {
    value: "0",
    accepts: (value) => value === "0" || Number(value) >= leastTransactionTimeoutMs,
  },
};
const encodings = { server_encoding: "UTF8" };
const durability = "synchronous_commit";

/** Reads the {@link SessionState} of a session. */
export const sessionStateQuery = `SELECT pg_backend_pid() AS "pid", format('%I IN DATABASE %I', session_user, current_database()) AS "role",
  current_schema() AS "schema", (SELECT json_object_agg("name", "setting") FROM pg_settings WHERE "name" IN (${[
    ...Object.keys({ ...required, ...encodings, ...serverTimeouts(0) }),
    durability,
  ]
    .map((name) => `'${name}'`)
    .join(", ")})) AS "settings"`;

/** Why our statements would fail or do something else in a session, each reason with its remedy. */
export function sessionIssues({ role, schema: actualSchema, settings }: SessionState): Map<string, string> {
  const issues = new Map<string, string>();
  const alter = (name: string, value: string) => `run \`ALTER ROLE ${role} SET ${name} = ${value}\``;
  for (const [name, { value, accepts = (actual: string) => actual === value }] of Object.entries(required)) {
    const actual = settings[name];
    if (actual === undefined || accepts(actual)) continue;
    issues.set(name, `${name} is ${actual} instead of ${value}: ${alter(name, `'${value}'`)}`);
  }
  if (actualSchema !== schema) {
    const found = actualSchema === null ? "finds no schema" : `leads to the schema ${actualSchema}`;
    issues.set(
      "search_path",
      `search_path ${found} instead of ${schema}: ${alter("search_path", schema)}, and let it use that schema`,
    );
  }
  for (const [name, value] of Object.entries(encodings)) {
    if (settings[name] === value) continue;
    const remedy = `restore a dump into one that is made by \`CREATE DATABASE … ENCODING '${value}' TEMPLATE template0\``;
    issues.set(
      name,
      `The database's encoding is ${settings[name]} instead of ${value}, which has not all characters: ${remedy}`,
    );
  }
  return issues;
}

/** The time-outs that the server does not apply, each with its remedy. */
export function timeoutIssues(
  { role, settings }: SessionState,
  statementTimeoutMs: number,
): Map<string, string> {
  const issues = new Map<string, string>();
  for (const [name, limit] of Object.entries(serverTimeouts(statementTimeoutMs))) {
    const value = Number(settings[name]);
    if (limit === 0 || (value > 0 && value <= limit)) continue;
    const actual = value === 0 ? "off" : `${value} ms`;
    issues.set(
      name,
      `${name} is ${actual} instead of at most ${limit} ms: run \`ALTER ROLE ${role} SET ${name} = ${limit}\``,
    );
  }
  return issues;
}

/** Whether a crash of the server may lose confirmed commits. */
export const mayLoseCommits = ({ settings }: SessionState): boolean => settings[durability] === "off";
