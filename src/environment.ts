import { randomBytes } from "node:crypto";
import {
  accessSync,
  constants,
  linkSync,
  mkdirSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import addressparser from "nodemailer/lib/addressparser";
import { z } from "zod";
import { isTrustworthyUrl } from "./access/trustworthy-url.js";
import { findProgram, isProgram } from "./platform/program-file.js";
import {
  baseUrl,
  integer,
  isHost,
  isPercentEncoded,
  itemsOf,
  networks,
  networksOrPublic,
  notEncoded,
  oneOf,
  onOrOff,
  originIssue,
  textWithout,
  trustedProxies,
  urlIssue,
  visibleText,
  webOrigin,
  webUrl,
} from "./platform/setting-rules.js";
import { emailAddress } from "./platform/text-rules.js";
import { codeOf, messageOf } from "./platform/thrown.js";

/** What `docs/settings.md` says of a setting besides its rule. */
export interface SettingDescription {
  group:
    | "server"
    | "database"
    | "access"
    | "files"
    | "cameras"
    | "notifications"
    | "retention"
    | "limits"
    | "monitoring"
    | "demo";
  /**
   * A value that works. The message about an invalid or missing setting shows it, too.
   */
  example: string;
  /** In Markdown, as is `unset`. */
  description: string;
  /** What holds without the setting, if its rule has no default. */
  unset?: string;
}

/** A rule with its description. */
const setting = <Rule extends z.ZodType>(description: SettingDescription, rule: Rule): Rule =>
  rule.meta({ ...description });

const exampleSecret = "$(openssl rand -hex 32)";
const isLongEnough = (secret: string) => Buffer.byteLength(secret) >= 32;
/** Blanks around a secret are part of it, but nothing that makes it hard to guess. */
const secret = z
  .string()
  .refine(
    (text) => isLongEnough(text.trim()),
    "must have at least 32 bytes, not counting blanks around them",
  );

/**
 * One secret, or two while they are rotated: the first signs, both verify. A single one
 * may not contain a comma.
 */
const rotatedSecret = z
  .string()
  .transform(itemsOf)
  .refine((secrets) => secrets.length <= 2, "must be one secret, or two that are separated by a comma")
  .refine((secrets) => secrets.every(isLongEnough), "must have at least 32 bytes in each secret");

/** A number of days; undefined for `off`. */
const retentionDays = z
  .string()
  .regex(/^(?:off|\d{1,5})$/, "must be off or a number of days")
  .transform((text) => (text === "off" ? undefined : Number(text)))
  .pipe(z.number().min(1, "must be at least 1").max(36_500, "must be at most 36500").optional());

/** Whoever means production must get it. */
const nodeEnvironment = textWithout((text) =>
  text !== "production" && /^\s*prod(?:uction)?\s*$/i.test(text)
    ? "must be exactly production, or another name"
    : undefined,
);

/** What is wrong with the path of a file. */
function fileIssue(text: string): string | undefined {
  try {
    accessSync(text, constants.R_OK);
    return statSync(text).isFile() ? undefined : `must name a file: ${text} is not one`;
  } catch (error) {
    return `must name a readable file: reading ${text} failed with ${codeOf(error)}`;
  }
}

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

/**
 * Options of the mail client cannot be given in the URL, such as one that accepts any
 * certificate.
 */
const mailServerUrl = textWithout((text) => {
  const issue = urlIssue(text, { schemes: ["smtp", "smtps"], credentials: true });
  if (issue !== undefined) return issue;
  const { username, password } = new URL(text);
  return (username === "") === (password === "")
    ? undefined
    : "must contain a user and a password, or neither";
});

/**
 * An international phone number or a short code, the SID of a messaging service, or an
 * alphanumeric sender.
 */
const twilioSender = /^(?:\+?[0-9]{3,15}|MG[0-9a-f]{32}|(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11})$/;

/** Whether a text is an address or `Name <address>`. */
function isSender(text: string): boolean {
  const [sender, ...others] = addressparser(text);
  return (
    sender !== undefined &&
    "address" in sender &&
    others.length === 0 &&
    !/[\r\n]/.test(text) &&
    emailAddress.safeParse(sender.address).success
  );
}

/** An address of the identity provider: what it answers is trusted. */
const providerUrl = ({ query }: { query?: true } = {}) =>
  textWithout((text) =>
    isTrustworthyUrl(text)
      ? urlIssue(text, { schemes: ["http", "https"], path: true, ...(query && { query }) })
      : "must be an https URL (http only on loopback)",
  );

const issuerUrl = providerUrl().refine(
  (text) => !text.includes("/.well-known/"),
  "must be the issuer alone, without /.well-known/…",
);

/** `*`, or origins. */
const corsOrigins = textWithout((text) => {
  const items = itemsOf(text);
  if (items.includes("*")) return items.length === 1 ? undefined : "must be * alone, or a list of origins";
  return items.map(originIssue).find((issue) => issue !== undefined);
}).transform(itemsOf);

/** A directory, or the path of one that can be made. */
const directory = textWithout((text) => {
  try {
    // Ask by writing: an administrator may write anywhere, but not below /proc or /sys,
    // where making the directories above a file would fail, or never end.
    const file = path.join(existingPart(path.resolve(text)), `writable.${process.pid}`);
    writeFileSync(file, "");
    unlinkSync(file);
    return undefined;
  } catch (error) {
    return `must be a directory that can be written to (${codeOf(error)})`;
  }
});

/** The directory, or the first above it that exists. */
function existingPart(wanted: string): string {
  const found = statSync(wanted, { throwIfNoEntry: false });
  if (!found) return existingPart(path.dirname(wanted));
  if (!found.isDirectory()) throw Object.assign(new Error(`${wanted} is a file`), { code: "ENOTDIR" });
  return wanted;
}

/** ffprobe is always installed in the directory of ffmpeg. */
const ffprobeBeside = (ffmpeg: string) => path.join(path.dirname(path.resolve(ffmpeg)), "ffprobe");

const ffmpegFile = textWithout((text) => {
  if (!isProgram(text)) return "must name a file that can be run";
  return isProgram(ffprobeBeside(text)) ? undefined : "must name a file with ffprobe in the same directory";
}).transform((text) => path.resolve(text));

/** The name of a bucket, or the ARN of a place that leads to one. */
const bucket = /^(?:[a-z0-9](?:[a-z0-9._-]{1,253})[a-z0-9]|arn:[a-z0-9-]+:s3[a-z0-9:/_.-]*)$/i;

/** Scopes of OAuth, separated by single spaces. */
const scope = /^[!#-[\]-~]+(?: [!#-[\]-~]+)*$/;

/** The rules of all settings, in the order in which errors are reported. */
export const settings = z.object({
  NODE_ENV: setting(
    {
      group: "server",
      example: "production",
      description: "`production` makes no demo tokens, and shows the schema to callers only.",
    },
    nodeEnvironment.default("development"),
  ),
  PORT: setting(
    { group: "server", example: "8080", description: "The port to listen on; 0 takes any free one." },
    integer(0, 65_535).default(4000),
  ),
  HOST: setting(
    { group: "server", example: "0.0.0.0", description: "The address to listen on." },
    z.string().refine(isHost, "must be an address or the name of a host").default("127.0.0.1"),
  ),
  PUBLIC_URL: setting(
    {
      group: "server",
      example: "https://gateway.example",
      unset: "localhost",
      description:
        "What links begin with: the scheme, host and port under which clients reach the gateway, without a path.",
    },
    webOrigin.optional(),
  ),
  TRUST_PROXY: setting(
    {
      group: "server",
      example: "1",
      unset: "no proxy",
      description:
        "The number of proxies in front of the gateway, or their networks, separated by commas. The gateway believes their `X-Forwarded-…` headers. `true` is refused: every client could claim any address.",
    },
    trustedProxies.optional(),
  ),
  CORS_ORIGIN: setting(
    {
      group: "server",
      example: "https://app.example,https://staging.example",
      unset: "none",
      description:
        "The origins whose pages may call the APIs, separated by commas, or `*`. Write them as browsers send them: lower case, no path, no default port.",
    },
    corsOrigins.optional(),
  ),
  DATA_DIR: setting(
    {
      group: "files",
      example: "/var/lib/gateway",
      description:
        "The directory of the embedded database, of generated secrets, and of pictures unless `S3_BUCKET` is set.",
    },
    directory.default("./data"),
  ),
  DATABASE_URL: setting(
    {
      group: "database",
      example: "postgresql://gateway:p%40ssword@db.example:5432/gateway",
      unset: "embedded",
      description:
        "A PostgreSQL server, or [a pooler](operators.md#which-poolers-work-in-front-of-postgresql) in front of it. Without it the gateway runs [an embedded database](operators.md#when-is-the-embedded-database-enough).",
    },
    databaseUrl.optional(),
  ),
  DATABASE_LISTEN_URL: setting(
    {
      group: "database",
      example: "postgresql://gateway:p%40ssword@db-direct.example:5432/gateway",
      unset: "`DATABASE_URL`",
      description:
        "The server itself, or a pooler in session mode. Needed where `DATABASE_URL` is a pooler in transaction mode and `REDIS_URL` is not set: instances listen here for each other's events.",
    },
    databaseUrl.optional(),
  ),
  REDIS_URL: setting(
    {
      group: "database",
      example: "redis://:p%40ssword@redis.example:6379",
      unset: "none",
      description:
        "Instances exchange events over this Redis and share rate limits. Without it they use PostgreSQL's NOTIFY, and each counts by itself and tells the others every second.",
    },
    redisUrl.optional(),
  ),
  DATABASE_POOL_SIZE: setting(
    { group: "database", example: "20", description: "Connections to the database." },
    integer(1, 1000).default(10),
  ),
  DATABASE_CONNECT_TIMEOUT: setting(
    { group: "database", example: "2000", description: "Milliseconds until a connection must be open." },
    integer(100, 600_000).default(5_000),
  ),
  DATABASE_STATEMENT_TIMEOUT: setting(
    {
      group: "database",
      example: "10000",
      description:
        "Milliseconds that a statement may take. A connection on which nothing arrives for 5 s longer is given up.",
    },
    integer(100, 3_600_000).default(30_000),
  ),
  AUTH_JWT_SECRET: setting(
    {
      group: "access",
      example: exampleSecret,
      unset: "generated if embedded",
      description: "The secret of tokens signed with HS256, at least 32 bytes. Set this or `AUTH_ISSUER`.",
    },
    secret.optional(),
  ),
  AUTH_ISSUER: setting(
    {
      group: "access",
      example: "https://id.example/realms/main",
      unset: "none",
      description:
        "The OpenID Connect issuer whose tokens are accepted, with or without a trailing slash. See [how users sign in](operators.md#how-do-users-sign-in).",
    },
    issuerUrl.optional(),
  ),
  AUTH_AUDIENCE: setting(
    {
      group: "access",
      example: "gateway",
      unset: "none",
      description: "The audience that these tokens must name; required with `AUTH_ISSUER`.",
    },
    visibleText.optional(),
  ),
  AUTH_JWKS_URL: setting(
    {
      group: "access",
      example: "https://id.example/keys",
      unset: "by discovery",
      description: "Where the issuer's keys are, if not where its discovery document says.",
    },
    providerUrl({ query: true }).optional(),
  ),
  CONSOLE_CLIENT_ID: setting(
    {
      group: "access",
      example: "gateway-console",
      unset: "none",
      description:
        "The public client with which users of the console sign in at `AUTH_ISSUER` (authorization code with PKCE). Its redirect URI is `PUBLIC_URL/`. Without it, users paste a token or an API key.",
    },
    visibleText.optional(),
  ),
  CONSOLE_SCOPE: setting(
    {
      group: "access",
      example: "openid offline_access",
      description:
        "The scope that leads to tokens for `AUTH_AUDIENCE`. With `offline_access` the console renews them.",
    },
    z.string().regex(scope, "must be scopes, separated by single spaces").default("openid"),
  ),
  LINK_SECRET: setting(
    {
      group: "access",
      example: exampleSecret,
      unset: "generated if embedded",
      description:
        "Signs links to pictures and exports, at least 32 bytes. It may hold two secrets, separated by a comma: see [how to replace it](operators.md#how-do-i-replace-the-link-secret).",
    },
    rotatedSecret.optional(),
  ),
  SUPPORT_HASH_SECRET: setting(
    {
      group: "access",
      example: exampleSecret,
      unset: "generated if embedded",
      description: "Hashes the identities that are given to support tools, at least 32 bytes.",
    },
    secret.optional(),
  ),
  SEED: setting(
    {
      group: "demo",
      example: "none",
      unset: "`demo` if embedded",
      description: "`demo` fills an empty database with the demo fleet.",
    },
    oneOf(["demo", "none"], "must be demo or none").optional(),
  ),
  DEMO_LIVE: setting(
    {
      group: "demo",
      example: "off",
      description:
        "Whether the embedded demo raises alerts. Its newest 2,000 are kept, and nobody is notified of them.",
    },
    onOrOff.default("on"),
  ),
  S3_BUCKET: setting(
    {
      group: "files",
      example: "alerts",
      unset: "none",
      description:
        "The bucket of S3 or a compatible server that stores pictures instead of `DATA_DIR`. The AWS SDK finds the credentials.",
    },
    z.string().regex(bucket, "must be the name of a bucket").optional(),
  ),
  S3_ENDPOINT: setting(
    {
      group: "files",
      example: "https://minio.example:9000",
      unset: "AWS",
      description: "A server compatible with S3.",
    },
    webOrigin.optional(),
  ),
  S3_REGION: setting(
    { group: "files", example: "eu-central-1", description: "The region of the bucket." },
    z
      .string()
      .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i, "must be the name of a region")
      .default("us-east-1"),
  ),
  FEED_SERVER_URL: setting(
    {
      group: "cameras",
      example: "https://feeds.example/streams",
      unset: "none",
      description: "Receives a POST request for each stream to open.",
    },
    webUrl({ path: true, query: true }).optional(),
  ),
  CAMERA_FEED: setting(
    {
      group: "cameras",
      example: "off",
      unset: "`builtin` with ffmpeg and ffprobe, without `FEED_SERVER_URL`",
      description:
        "`builtin`: the gateway opens the streams of cameras itself, which needs ffmpeg and ffprobe. `off`: it waits for a feed server.",
    },
    oneOf(["builtin", "off"], "must be builtin or off").optional(),
  ),
  FFMPEG_PATH: setting(
    {
      group: "cameras",
      example: "/usr/bin/ffmpeg",
      unset: "found in `PATH`",
      description: "The file of ffmpeg; ffprobe must be in the same directory.",
    },
    ffmpegFile.optional(),
  ),
  MAX_CAMERAS: setting(
    {
      group: "cameras",
      example: "10000",
      description: "Cameras of a workspace, at most.",
    },
    integer(1, 1_000_000).default(2_000),
  ),
  FEED_CONCURRENCY: setting(
    {
      group: "cameras",
      example: "8",
      description:
        "Streams that the gateway opens at once for pictures, besides those that somebody watches.",
    },
    integer(1, 64).default(4),
  ),
  CAMERA_REFRESH: setting(
    {
      group: "cameras",
      example: "60",
      description: "Seconds until the gateway takes a new picture of a camera; 0 for the first one only.",
    },
    integer(0, 86_400).default(300),
  ),
  CAMERA_LOST_AFTER: setting(
    {
      group: "cameras",
      example: "120",
      description: "Seconds for which a stream must have failed, twice at least, until its camera is lost.",
    },
    integer(0, 86_400).default(60),
  ),
  CAMERA_ALLOWED_NETWORKS: setting(
    {
      group: "cameras",
      example: "192.168.0.0/16,fd00::/8",
      unset: "none",
      description:
        "Networks in which the gateway opens streams besides public addresses, separated by commas. Names are resolved by the system.",
    },
    networks.optional(),
  ),
  WEBHOOK_ALLOWED_NETWORKS: setting(
    {
      group: "notifications",
      example: "10.0.0.0/8,fd00::/8",
      unset: "none",
      description:
        "Networks to which webhooks may lead besides public addresses, separated by commas. Names are resolved by DNS alone.",
    },
    networks.optional(),
  ),
  MAX_MESSAGES_PER_DAY: setting(
    {
      group: "notifications",
      example: "200",
      description:
        "Mails and text messages of a workspace per day (UTC). The rest is parked. Mails with sign-in links count only for who has never signed in by the address; beyond the limit, they are not sent.",
    },
    integer(0, 1_000_000_000).default(1000),
  ),
  SMTP_URL: setting(
    {
      group: "notifications",
      example: "smtp://user:p%40ssword@mail.example:587",
      unset: "none",
      description:
        "The server that takes mails, `smtp://` or `smtps://`. Its certificate must be valid (`NODE_EXTRA_CA_CERTS` names a CA of your own). Credentials go over TLS only, except to loopback.",
    },
    mailServerUrl.optional(),
  ),
  MAIL_FROM: setting(
    {
      group: "notifications",
      example: "Alerts <alerts@site.example>",
      unset: "none",
      description: "The sender of mails; required with `SMTP_URL`.",
    },
    z.string().refine(isSender, "must be an email address, or Name <address>").optional(),
  ),
  TWILIO_ACCOUNT_SID: setting(
    {
      group: "notifications",
      example: "AC0123456789abcdef0123456789abcdef",
      unset: "none",
      description: "The Twilio account that sends text messages.",
    },
    z
      .string()
      .regex(/^[A-Za-z0-9]+$/, "must consist of letters and digits")
      .optional(),
  ),
  TWILIO_AUTH_TOKEN: setting(
    {
      group: "notifications",
      example: "0123456789abcdef0123456789abcdef",
      unset: "none",
      description: "The token of the account; required with `TWILIO_ACCOUNT_SID`.",
    },
    visibleText.optional(),
  ),
  TWILIO_FROM: setting(
    {
      group: "notifications",
      example: "+12025550123",
      unset: "none",
      description:
        "The sender: a phone number, a name or the SID of a messaging service; required with `TWILIO_ACCOUNT_SID`.",
    },
    z
      .string()
      .regex(twilioSender, "must be a phone number, a sender's name or the SID of a messaging service")
      .optional(),
  ),
  TWILIO_URL: setting(
    {
      group: "notifications",
      example: "https://sms.example",
      description: "Another server with the same API.",
    },
    baseUrl.default("https://api.twilio.com"),
  ),
  ALERT_RETENTION_DAYS: setting(
    {
      group: "retention",
      example: "365",
      unset: "off",
      description:
        "Days after which alerts are deleted in small batches, with comments, notifications and pictures, unless they are bookmarked. Subscribers are not told.",
    },
    retentionDays.optional(),
  ),
  AUDIT_RETENTION_DAYS: setting(
    {
      group: "retention",
      example: "730",
      unset: "off",
      description:
        "Days after which audit entries are deleted; those of permissions that were taken from a user, after 30 days at the earliest.",
    },
    retentionDays.optional(),
  ),
  KEEP_DETECTIONS: setting(
    {
      group: "retention",
      example: "on",
      description:
        "`on` keeps the newest 1000 frames of each camera that detectors send by `recordDetections` for 24 hours, in the database. Rules can then be tried on what was seen. When it is turned off, they are deleted.",
    },
    onOrOff.default("off"),
  ),
  STREAM_REQUEST_TTL: setting(
    { group: "cameras", example: "3600", description: "Seconds until a stream request expires." },
    integer(1, 31_536_000).default(86_400),
  ),
  HEARTBEAT_TIMEOUT: setting(
    {
      group: "cameras",
      example: "60",
      description: "Seconds without a heartbeat until a facility is offline.",
    },
    integer(1, 31_536_000).default(300),
  ),
  PICTURE_PROXY_NETWORKS: setting(
    {
      group: "files",
      example: "192.168.0.0/16,public",
      unset: "none",
      description:
        "Networks from which the gateway fetches pictures of alerts that a detector keeps elsewhere, to show them in the console; `public` for public addresses. Separated by commas. Names are resolved by DNS alone. From anywhere else, the console shows a link.",
    },
    networksOrPublic.optional(),
  ),
  MAX_UPLOAD_BYTES: setting(
    {
      group: "files",
      example: "5000000",
      description: "The largest picture that can be uploaded, in bytes.",
    },
    integer(1, 1_073_741_824).default(10 * 1024 * 1024),
  ),
  MAX_PAGE_SIZE: setting(
    { group: "limits", example: "200", description: "The longest page of a list." },
    integer(20, 1000).default(1000),
  ),
  MAX_QUERY_COST: setting(
    { group: "limits", example: "20000", description: "The highest cost of a GraphQL operation." },
    integer(1, 100_000_000).default(100_000),
  ),
  KNOWN_OPERATIONS: setting(
    {
      group: "limits",
      example: "/etc/gateway/operations.json",
      unset: "any document",
      description:
        "A file of the only GraphQL documents that run, beside those of the gateway's own pages and connectors: see [its format](operators.md#how-do-i-allow-known-operations-only).",
    },
    textWithout(fileIssue).optional(),
  ),
  FEDERATION: setting(
    {
      group: "server",
      example: "on",
      description:
        "`on` makes the gateway a subgraph of Federation 2. The router in front of it must be its only caller: see [how the gateway becomes part of a supergraph](frontends.md#how-do-i-make-the-gateway-part-of-a-supergraph).",
    },
    onOrOff.default("off"),
  ),
  STRICT_REST: setting(
    {
      group: "limits",
      example: "on",
      description:
        "`on` refuses parameters and body fields that a REST endpoint does not have with 400 (callbacks 5–7 excepted). Otherwise the answer names them in `X-Ignored-Parameters`.",
    },
    onOrOff.default("off"),
  ),
  STRICT_PERMISSIONS: setting(
    {
      group: "access",
      example: "on",
      description:
        "`on` asks for permissions where the specification of the REST API names none or a lesser one: `cameras:write` to add cameras (endpoints 14 and 15) and for heartbeats (28), `facilities:write` to rename facilities (25). It holds for GraphQL as well.",
    },
    onOrOff.default("off"),
  ),
  MCP: setting(
    {
      group: "access",
      example: "off",
      description:
        "Whether assistants may use the gateway at `/mcp`, by the Model Context Protocol, with the permissions of who they sign in as. [Assistants](assistants.md) has more.",
    },
    onOrOff.default("on"),
  ),
  MCP_WRITE: setting(
    {
      group: "access",
      example: "on",
      description:
        "`on` also lets assistants acknowledge and comment on alerts, snooze cameras and rules, and run mutations of `KNOWN_OPERATIONS`, where their callers may.",
    },
    onOrOff.default("off"),
  ),
  RATE_LIMIT: setting(
    { group: "limits", example: "off", description: "Whether requests are limited." },
    onOrOff.default("on"),
  ),
  RATE_LIMIT_CALLER: setting(
    { group: "limits", example: "600", description: "Requests of a caller per minute." },
    integer(1, 1_000_000_000).default(6000),
  ),
  RATE_LIMIT_ADDRESS: setting(
    {
      group: "limits",
      example: "300",
      description: "Requests without valid credentials per minute and address.",
    },
    integer(1, 1_000_000_000).default(1200),
  ),
  RATE_LIMIT_DETECTIONS: setting(
    {
      group: "limits",
      example: "60000",
      description:
        "Frames per minute that a caller may give to `recordDetections`. Requests with nothing else do not count for `RATE_LIMIT_CALLER`, unless they fail. At least 1000, as many as one request may have.",
    },
    integer(1_000, 1_000_000_000).default(30_000),
  ),
  MAX_CONNECTIONS: setting(
    {
      group: "limits",
      example: "2000",
      description: "Open connections. Callers of one workspace may have half of them as WebSockets.",
    },
    integer(1, 1_000_000).default(10_000),
  ),
  MAX_CONNECTIONS_PER_ADDRESS: setting(
    {
      group: "limits",
      example: "50",
      description: "Open connections of an address (a /64 network of IPv6), unless `TRUST_PROXY` names it.",
    },
    integer(1, 1_000_000).default(256),
  ),
  MAX_SOCKETS: setting(
    { group: "limits", example: "20", description: "WebSockets of a caller." },
    integer(1, 1_000_000).default(100),
  ),
  MAX_SUBSCRIPTIONS: setting(
    { group: "limits", example: "10", description: "Subscriptions of a WebSocket." },
    integer(1, 10_000).default(50),
  ),
  SOCKET_BACKLOG: setting(
    {
      group: "limits",
      example: "1000",
      description: "Results that may wait for a slow subscriber before the gateway closes its socket.",
    },
    integer(1, 1_000_000).default(5_000),
  ),
  SOCKET_PING_INTERVAL: setting(
    { group: "limits", example: "30000", description: "Milliseconds between pings on a WebSocket." },
    integer(100, 3_600_000).default(15_000),
  ),
  SHUTDOWN_DELAY: setting(
    {
      group: "server",
      example: "5000",
      description: "Milliseconds for which requests are still served after SIGTERM, with `/readyz` at 503.",
    },
    integer(0, 10_000).default(2_000),
  ),
  METRICS_TOKEN: setting(
    {
      group: "monitoring",
      example: exampleSecret,
      unset: "none",
      description: "The Bearer token that `/metrics` asks for.",
    },
    visibleText.optional(),
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    {
      group: "monitoring",
      example: "http://collector:4318",
      unset: "off",
      description:
        "The OpenTelemetry collector to which traces are sent, as JSON over HTTP. The SDK itself reads `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES`.",
    },
    baseUrl.optional(),
  ),
  OTEL_TRACES_SAMPLER_ARG: setting(
    {
      group: "monitoring",
      example: "0.1",
      description: "The share of the traces beginning here that are recorded, from 0 to 1.",
    },
    z
      .string()
      .regex(/^(?:0?\.\d{1,9}|[01](?:\.0*)?)$/, "must be a number from 0 to 1")
      .transform(Number)
      .default(1),
  ),
  LOG_LEVEL: setting(
    {
      group: "monitoring",
      example: "warn",
      description: "Logs are JSON lines on standard output, after the startup banner.",
    },
    oneOf(
      ["trace", "debug", "info", "warn", "error", "fatal", "silent"],
      "must be a log level of pino",
    ).default("info"),
  ),
});

/** The names of all settings. */
export const settingNames = Object.keys(settings.shape);

/** The description of a setting. */
export const descriptionOf = (name: string): SettingDescription =>
  z.globalRegistry.get(settings.shape[name as keyof Settings]) as unknown as SettingDescription;

/** An example of a setting. */
export const exampleOf = (name: string): string => descriptionOf(name).example;

type Settings = z.infer<typeof settings>;

/**
 * All settings, validated. AUTH_JWT_SECRET is absent if an identity provider issues the
 * tokens.
 */
export type Environment = Omit<Settings, "LINK_SECRET" | "SUPPORT_HASH_SECRET"> & {
  LINK_SECRET: string[];
  SUPPORT_HASH_SECRET: string;
};

/**
 * Reads and validates all settings; throws one error that lists every invalid one. For
 * the embedded database, missing secrets are generated and stored.
 */
export function readEnvironment(variables: NodeJS.ProcessEnv = process.env): Environment {
  const present = presentOf(variables);
  return withSecrets(validated(settings, present, combinationIssues(present)));
}

const presentOf = (variables: NodeJS.ProcessEnv) =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ""));

/**
 * What is wrong with settings together, and the names of those that it can be mended by.
 */
interface CombinationIssue {
  message: string;
  mendedBy: readonly string[];
}

/** The values of some settings. */
function validated<Output>(
  some: z.ZodType<Output>,
  present: Record<string, string | undefined>,
  together: readonly CombinationIssue[],
): Output {
  const parsed = some.safeParse(present);
  // The first of each.
  const issues = new Map(
    (parsed.error?.issues ?? [])
      .toReversed()
      .map(({ path: [name], message }) => [String(name), `${String(name)} ${message}`]),
  );
  const lines = [
    ...Array.from(issues, ([name, message]) => withExamples(message, [name])).toReversed(),
    ...together.map(({ message, mendedBy }) => withExamples(message, mendedBy)),
  ];
  if (!parsed.success || lines.length > 0)
    throw new Error(`Invalid settings:\n${lines.map((line) => `  ${line}`).join("\n")}`);
  return parsed.data;
}

const withExamples = (message: string, names: readonly string[]) =>
  names.length === 0
    ? message
    : `${message}, for example ${names.map((name) => `${name}=${exampleOf(name)}`).join(" ")}`;

/** Reads only DATABASE_URL, for commands that need nothing else. */
export function readDatabaseUrl(variables: NodeJS.ProcessEnv = process.env): string {
  const url = settings.shape.DATABASE_URL.safeParse(variables.DATABASE_URL || undefined);
  if (!url.success)
    throw new Error(withExamples(`DATABASE_URL ${url.error.issues[0]?.message}`, ["DATABASE_URL"]));
  if (!url.data)
    throw new Error(
      "DATABASE_URL is not set: this command needs a PostgreSQL server (`npm start` migrates the embedded database)",
    );
  return url.data;
}

const dataSettings = settings.pick({
  DATABASE_URL: true,
  DATA_DIR: true,
  S3_BUCKET: true,
  S3_REGION: true,
  S3_ENDPOINT: true,
});

/**
 * Reads only where the database and the pictures are, for commands that need nothing
 * else.
 */
export function readDataSettings(variables: NodeJS.ProcessEnv = process.env): z.infer<typeof dataSettings> {
  const present = presentOf(variables);
  return validated(dataSettings, present, missingFor(present, ["S3_ENDPOINT"]));
}

const tokenSettings = settings.pick({
  DATABASE_URL: true,
  DATA_DIR: true,
  AUTH_JWT_SECRET: true,
  AUTH_ISSUER: true,
});

/**
 * Reads only the secret of Bearer tokens, for the command that signs one. For the
 * embedded database, this may be the generated secret. Undefined if an identity provider
 * issues the tokens.
 */
export function readTokenSecret(variables: NodeJS.ProcessEnv = process.env): string | undefined {
  const present = presentOf(variables);
  if (present.AUTH_JWT_SECRET === undefined && present.AUTH_ISSUER !== undefined) return undefined;
  const isMissing = present.AUTH_JWT_SECRET === undefined && present.DATABASE_URL !== undefined;
  const configured = validated(
    present.AUTH_JWT_SECRET === undefined ? tokenSettings : tokenSettings.pick({ AUTH_JWT_SECRET: true }),
    present,
    isMissing ? [required("AUTH_JWT_SECRET", "DATABASE_URL")] : [],
  );
  return configured.AUTH_JWT_SECRET ?? storedSecretsOf((configured as Settings).DATA_DIR).AUTH_JWT_SECRET;
}

const signInSettings = settings.pick({
  ...{ DATABASE_URL: true, DATA_DIR: true, AUTH_ISSUER: true },
  ...{ LINK_SECRET: true, PUBLIC_URL: true, PORT: true, SMTP_URL: true },
});

/** What links to sign in are made of. */
export interface SignInSettings {
  /** Undefined for the embedded database. */
  databaseUrl: string | undefined;
  /** Where the embedded database is. */
  directory: string;
  publicUrl: string;
  secrets: readonly string[];
  hasIssuer: boolean;
  /** Whether the gateway sends mails. */
  sendsMail: boolean;
}

/**
 * Reads only what links to sign in are made of, for the commands that print them. For the
 * embedded database, the secret may be the generated one.
 */
export function readSignInSettings(variables: NodeJS.ProcessEnv = process.env): SignInSettings {
  const present = presentOf(variables);
  const isMissing = present.LINK_SECRET === undefined && present.DATABASE_URL !== undefined;
  const { DATABASE_URL, DATA_DIR, AUTH_ISSUER, LINK_SECRET, PUBLIC_URL, PORT, SMTP_URL } = validated(
    signInSettings,
    present,
    isMissing && present.AUTH_ISSUER === undefined ? [required("LINK_SECRET", "DATABASE_URL")] : [],
  );
  const hasIssuer = AUTH_ISSUER !== undefined;
  return {
    databaseUrl: DATABASE_URL,
    directory: DATA_DIR,
    publicUrl: PUBLIC_URL ?? `http://localhost:${PORT}`,
    secrets: LINK_SECRET ?? (hasIssuer ? [] : storedSecretsOf(DATA_DIR).LINK_SECRET),
    hasIssuer,
    sendsMail: SMTP_URL !== undefined,
  };
}

/** All or none of a group is set. */
const setTogether = [
  ["SMTP_URL", "MAIL_FROM"],
  ["TWILIO_ACCOUNT_SID", "TWILIO_AUTH_TOKEN", "TWILIO_FROM"],
];

/** What a setting is of no use without. */
const neededBy = {
  DATABASE_LISTEN_URL: "DATABASE_URL",
  S3_ENDPOINT: "S3_BUCKET",
  TWILIO_URL: "TWILIO_ACCOUNT_SID",
  CONSOLE_CLIENT_ID: "AUTH_ISSUER",
  CONSOLE_SCOPE: "CONSOLE_CLIENT_ID",
  OTEL_TRACES_SAMPLER_ARG: "OTEL_EXPORTER_OTLP_ENDPOINT",
};

/** What some settings are of no use without, and lack. */
const missingFor = (
  variables: Record<string, string | undefined>,
  names: (keyof typeof neededBy)[],
): CombinationIssue[] =>
  names
    .filter((name) => variables[name] !== undefined && variables[neededBy[name]] === undefined)
    .map((name) => required(neededBy[name], name));

const required = (name: string, by: string): CombinationIssue => ({
  message: `${name} is required with ${by}`,
  mendedBy: [name],
});

function combinationIssues(variables: Record<string, string | undefined>): CombinationIssue[] {
  const isSet = (name: string) => variables[name] !== undefined;
  const isMissing = (name: string) => !isSet(name);
  const issuer = ["AUTH_ISSUER", "AUTH_AUDIENCE", "AUTH_JWKS_URL"].filter(isSet);
  const ofIssuer = issuer.length > 0 ? ["AUTH_ISSUER", "AUTH_AUDIENCE"] : [];
  const ofServer = isSet("DATABASE_URL") ? ["LINK_SECRET", "SUPPORT_HASH_SECRET"] : [];
  const issues = [
    ...ofIssuer.filter(isMissing).map((name) => required(name, issuer.join(", "))),
    ...ofServer.filter(isMissing).map((name) => required(name, "DATABASE_URL")),
  ];
  if (isSet("AUTH_JWT_SECRET") && issuer.length > 0)
    issues.push({
      message: `AUTH_JWT_SECRET and ${issuer.join(", ")} are mutually exclusive: configure one of the two modes`,
      mendedBy: [],
    });
  issues.push(...missingFor(variables, Object.keys(neededBy) as (keyof typeof neededBy)[]));
  for (const group of setTogether) {
    const set = group.filter(isSet);
    if (set.length > 0) issues.push(...group.filter(isMissing).map((name) => required(name, set.join(", "))));
  }
  if (isSet("DATABASE_URL") && isMissing("AUTH_JWT_SECRET") && issuer.length === 0) {
    issues.push({
      message: "AUTH_JWT_SECRET, or AUTH_ISSUER and AUTH_AUDIENCE, is required with DATABASE_URL",
      mendedBy: ["AUTH_JWT_SECRET"],
    });
  }
  issues.push(...cameraFeedIssues(variables));
  return issues;
}

/** The file of ffmpeg, or the reason why the gateway opens no streams itself. */
type CameraFeed = { ffmpegPath: string } | { reason: string };

/** Whether the gateway opens the streams of cameras itself. */
export function cameraFeedOf(
  {
    CAMERA_FEED,
    FFMPEG_PATH,
    FEED_SERVER_URL,
  }: Partial<Record<"CAMERA_FEED" | "FFMPEG_PATH" | "FEED_SERVER_URL", string | undefined>>,
  searchPath = process.env.PATH,
): CameraFeed {
  if (CAMERA_FEED === "off") return { reason: "CAMERA_FEED is off" };
  if (FEED_SERVER_URL !== undefined) return { reason: "FEED_SERVER_URL is set" };
  const ffmpegPath = FFMPEG_PATH ?? findProgram("ffmpeg", searchPath);
  return ffmpegPath !== undefined && isProgram(ffprobeBeside(ffmpegPath))
    ? { ffmpegPath }
    : { reason: "ffmpeg and ffprobe were not found in PATH" };
}

/** The variables that the process that opens streams needs. */
const feedVariableNames = ["PATH", "TMPDIR", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"];

/**
 * The variables for the process that opens streams: none of the settings, which hold
 * secrets.
 */
export const feedVariables = (variables: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => feedVariableNames.includes(name)));

/** What keeps the gateway from opening streams, though it is told to. */
function cameraFeedIssues(variables: Record<string, string | undefined>): CombinationIssue[] {
  if (variables.CAMERA_FEED !== "builtin") return [];
  if (variables.FEED_SERVER_URL !== undefined)
    return [
      {
        message:
          "CAMERA_FEED=builtin and FEED_SERVER_URL are mutually exclusive: either the gateway opens streams or the feed server",
        mendedBy: [],
      },
    ];
  // The rule of FFMPEG_PATH looks for both programs.
  if (variables.FFMPEG_PATH !== undefined || "ffmpegPath" in cameraFeedOf(variables, variables.PATH ?? ""))
    return [];
  return [
    {
      message:
        "CAMERA_FEED=builtin needs ffmpeg and ffprobe, which were not found in PATH: install them, or set FFMPEG_PATH",
      mendedBy: ["FFMPEG_PATH"],
    },
  ];
}

function withSecrets(configured: Settings): Environment {
  if (configured.DATABASE_URL) return configured as Environment;
  const { AUTH_JWT_SECRET, ...others } = storedSecretsOf(configured.DATA_DIR);
  return { ...others, ...(configured.AUTH_ISSUER ? {} : { AUTH_JWT_SECRET }), ...configured } as Environment;
}

const storedSecrets = settings
  .pick({ AUTH_JWT_SECRET: true, LINK_SECRET: true, SUPPORT_HASH_SECRET: true })
  .required();

type StoredSecrets = z.infer<typeof storedSecrets>;

/** The secrets in the directory of an embedded database, generated the first time. */
function storedSecretsOf(dataDirectory: string): StoredSecrets {
  const file = path.join(dataDirectory, "secrets.json");
  return readStoredSecrets(file) ?? createSecrets(file);
}

function readStoredSecrets(file: string): StoredSecrets | undefined {
  try {
    return storedSecrets.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    const reason =
      error instanceof z.ZodError
        ? error.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`).join(", ")
        : messageOf(error);
    throw new Error(`${file} cannot be read: ${reason}`);
  }
}

function createSecrets(file: string): StoredSecrets {
  const random = () => randomBytes(32).toString("hex");
  const secrets: z.input<typeof storedSecrets> = {
    AUTH_JWT_SECRET: random(),
    LINK_SECRET: random(),
    SUPPORT_HASH_SECRET: random(),
  };
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const partial = `${file}.${process.pid}`;
  writeFileSync(partial, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  try {
    linkSync(partial, file);
    return storedSecrets.parse(secrets);
  } catch (error) {
    // Another process stored its secrets first: use those.
    if (codeOf(error) === "EEXIST") return readStoredSecrets(file) as StoredSecrets;
    throw error;
  } finally {
    unlinkSync(partial);
  }
}
