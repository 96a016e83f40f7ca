import {
  integer,
  isPercentEncoded,
  notEncoded,
  textWithout,
  urlIssue,
} from "../../platform/input/setting-rules.js";
import { fileIssue, setting } from "./setting.js";

const databaseUrl = textWithout((text) => {
  // Before others, as what they find may be part of a password.
  if (/^postgres(?:ql)?:/.test(text) && text.includes("#")) return notEncoded;
  const issue = urlIssue(withHostInsteadOfSocket(text), {
    schemes: ["postgresql", "postgres"],
    credentials: true,
    path: true,
    query: true,
  });
  if (issue !== undefined) return issue;
  const { pathname, searchParams } = new URL(text);
  if (!isPercentEncoded(pathname))
    return "must have the special characters of the database's name percent-encoded";
  if (pathname.indexOf("/", 1) !== -1)
    return "must have only the name of a database after its host: write a / in a password as %2F";
  if ([...searchParams.keys()].some((name) => !/^\w+$/.test(name)))
    return "must have only connection parameters after its ?: write a ? in a password as %3F";
  const certificates = ["sslcert", "sslkey", "sslrootcert"].flatMap((name) => searchParams.get(name) ?? []);
  return certificates.map(fileIssue).find((found) => found !== undefined);
});

/** A URL may name a Unix socket in place of a host, or as a parameter. */
const withHostInsteadOfSocket = (text: string) =>
  text.replace(/^(\w+:\/\/(?:[^/@?]*@)?)(?:%2f[^/?]*|(?=\/[^?]*\?(?:.*&)?host=))/i, "$1localhost");

const redisUrl = textWithout((text) => {
  const issue = urlIssue(text, { schemes: ["redis", "rediss"], credentials: true, path: true, query: true });
  if (issue !== undefined) return issue;
  return /^(?:\/\d{0,5})?$/.test(new URL(text).pathname)
    ? undefined
    : "must have no more than the number of a database behind its host";
});

export const database = {
  DATABASE_URL: setting(
    {
      example: "postgresql://gateway:p%40ssword@db.example:5432/gateway",
      unset: "embedded",
      description:
        "A PostgreSQL server, or [a pooler](operators.md#which-poolers-work-in-front-of-postgresql) in front of it. Without it the gateway runs [an embedded database](operators.md#when-is-the-embedded-database-enough).",
    },
    databaseUrl,
  ),
  DATABASE_LISTEN_URL: setting(
    {
      example: "postgresql://gateway:p%40ssword@db-direct.example:5432/gateway",
      unset: "`DATABASE_URL`",
      description:
        "The server itself, or a pooler in session mode. Needed where `DATABASE_URL` is a pooler in transaction mode and `REDIS_URL` is not set: instances listen here for each other's events.",
    },
    databaseUrl,
  ),
  REDIS_URL: setting(
    {
      example: "redis://:p%40ssword@redis.example:6379",
      unset: "none",
      description:
        "Instances exchange events over this Redis and share rate limits. Without it they use PostgreSQL's NOTIFY, and each counts by itself and tells the others every second.",
    },
    redisUrl,
  ),
  DATABASE_POOL_SIZE: setting(
    { example: "20", description: "Connections to the database." },
    integer(1, 1000).default(10),
  ),
  DATABASE_CONNECT_TIMEOUT: setting(
    { example: "2000", description: "Milliseconds until a connection must be open." },
    integer(100, 600_000).default(5_000),
  ),
  DATABASE_STATEMENT_TIMEOUT: setting(
    {
      example: "10000",
      description:
        "Milliseconds that a statement may take. A connection on which nothing arrives for 5 s longer is given up.",
    },
    integer(100, 3_600_000).default(30_000),
  ),
};
