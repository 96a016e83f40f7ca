import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import addressparser from "nodemailer/lib/addressparser";
import { z } from "zod";
import { isTrustworthyUrl } from "./access/trustworthy-url.js";
import { isNetwork } from "./platform/ip-address.js";
import { emailAddress } from "./platform/text-rules.js";

const integer = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d{1,12}$/, "must be an integer")
    .transform(Number)
    .pipe(z.number().min(minimum, `must be at least ${minimum}`).max(maximum, `must be at most ${maximum}`));

const httpUrl = z.string().refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), "must be an http(s) URL");

function containsCredentials(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return `${username}${password}` !== "";
}

/** A URL that paths are appended to. */
const baseUrl = httpUrl.transform((text) => text.replace(/\/+$/, ""));

const isLongEnough = (secret: string) => Buffer.byteLength(secret) >= 32;
const secret = z.string().refine(isLongEnough, "must have at least 32 bytes");

/** One secret, or two while they are rotated: the first signs, both verify. A single one may not contain a comma. */
const rotatedSecret = z
  .string()
  .transform((text) => text.split(",").map((part) => part.trim()))
  .refine((secrets) => secrets.length <= 2, "must be one secret, or two that are separated by a comma")
  .refine((secrets) => secrets.every(isLongEnough), "must have at least 32 bytes, each of two");

/** A number of days; undefined for `off`. */
const retentionDays = z
  .string()
  .regex(/^(?:off|\d{1,5})$/, "must be off or a number of days")
  .transform((text) => (text === "off" ? undefined : Number(text)))
  .pipe(z.number().min(1, "must be at least 1").max(36_500, "must be at most 36500").optional());

const databaseUrl = z.string().refine((text) => /^postgres(ql)?:\/\//.test(text) && URL.canParse(text), "must be a postgresql:// URL");

/** Options of the mail client cannot be given in the URL, such as one that accepts any certificate. */
function isMailServerUrl(text: string): boolean {
  if (!/^smtps?:\/\//.test(text) || !URL.canParse(text)) return false;
  const { hostname, pathname, search, hash, username, password } = new URL(text);
  return hostname !== "" && /^\/?$/.test(pathname) && search + hash === "" && [username, password].every(isPercentEncoded);
}

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether a URL has a user and a password, or neither. */
function hasWholeCredentials(text: string): boolean {
  if (!URL.canParse(text)) return true;
  const { username, password } = new URL(text);
  return (username === "") === (password === "");
}

/** An international phone number or a short code, the SID of a messaging service, or an alphanumeric sender. */
const twilioSender = /^(?:\+?[0-9]{3,15}|MG[0-9a-f]{32}|(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11})$/;

/** Whether a text is an address or `Name <address>`. */
function isSender(text: string): boolean {
  const [sender, ...others] = addressparser(text);
  return sender !== undefined && "address" in sender && others.length === 0 && !/[\r\n]/.test(text) && emailAddress.safeParse(sender.address).success;
}

const settings = z.object({
  NODE_ENV: z.string().default("development"),
  PORT: integer(0, 65_535).default(4000),
  HOST: z.string().default("127.0.0.1"),
  PUBLIC_URL: baseUrl.optional(),
  TRUST_PROXY: z.string().optional(),
  CORS_ORIGIN: z
    .string()
    .transform((text) => text.split(",").map((origin) => origin.trim()))
    .optional(),
  DATA_DIR: z.string().default("./data"),
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_LISTEN_URL: databaseUrl.optional(),
  REDIS_URL: z
    .string()
    .refine((text) => /^rediss?:\/\//.test(text) && URL.canParse(text), "must be a redis:// or rediss:// URL")
    .optional(),
  DATABASE_POOL_SIZE: integer(1, 1000).default(10),
  DATABASE_CONNECT_TIMEOUT: integer(100, 600_000).default(5_000),
  DATABASE_STATEMENT_TIMEOUT: integer(100, 3_600_000).default(30_000),
  AUTH_JWT_SECRET: secret.optional(),
  AUTH_ISSUER: z.string().refine(isTrustworthyUrl, "must be an https URL (http only on loopback)").optional(),
  AUTH_AUDIENCE: z.string().min(1).optional(),
  AUTH_JWKS_URL: z.string().refine(isTrustworthyUrl, "must be an https URL (http only on loopback)").optional(),
  CONSOLE_CLIENT_ID: z.string().min(1).optional(),
  CONSOLE_SCOPE: z.string().min(1).default("openid"),
  LINK_SECRET: rotatedSecret.optional(),
  SUPPORT_HASH_SECRET: secret.optional(),
  SEED: z.enum(["demo", "none"], { error: "must be demo or none" }).optional(),
  DEMO_LIVE: z.enum(["on", "off"], { error: "must be on or off" }).default("on"),
  S3_BUCKET: z.string().min(3, "must have at least 3 characters").optional(),
  S3_ENDPOINT: baseUrl.optional(),
  S3_REGION: z.string().default("us-east-1"),
  FEED_SERVER_URL: httpUrl.refine((text) => !containsCredentials(text), "must not contain credentials").optional(),
  WEBHOOK_ALLOWED_NETWORKS: z
    .string()
    .transform((text) => text.split(",").map((network) => network.trim()))
    .refine((networks) => networks.every(isNetwork), "must be a comma-separated list of networks such as 10.0.0.0/8")
    .optional(),
  MAX_MESSAGES_PER_DAY: integer(0, 1_000_000_000).default(1000),
  SMTP_URL: z
    .string()
    .refine(isMailServerUrl, "must be an smtp:// or smtps:// URL without path and parameters")
    .refine(hasWholeCredentials, "must contain a user and a password, or neither")
    .optional(),
  MAIL_FROM: z.string().refine(isSender, "must be an email address, or Name <address>").optional(),
  TWILIO_ACCOUNT_SID: z
    .string()
    .regex(/^[A-Za-z0-9]+$/, "must consist of letters and digits")
    .optional(),
  TWILIO_AUTH_TOKEN: z.string().optional(),
  TWILIO_FROM: z
    .string()
    .regex(twilioSender, "must be a phone number such as +12025550123, a sender's name or the SID of a messaging service")
    .optional(),
  TWILIO_URL: baseUrl.refine((text) => !containsCredentials(text), "must not contain credentials").default("https://api.twilio.com"),
  ALERT_RETENTION_DAYS: retentionDays.optional(),
  AUDIT_RETENTION_DAYS: retentionDays.optional(),
  STREAM_REQUEST_TTL: integer(1, 31_536_000).default(86_400),
  HEARTBEAT_TIMEOUT: integer(1, 31_536_000).default(300),
  MAX_UPLOAD_BYTES: integer(1, 1_073_741_824).default(10 * 1024 * 1024),
  MAX_PAGE_SIZE: integer(20, 1000).default(1000),
  MAX_QUERY_COST: integer(1, 100_000_000).default(100_000),
  KNOWN_OPERATIONS: z.string().optional(),
  STRICT_REST: z.enum(["on", "off"], { error: "must be on or off" }).default("off"),
  RATE_LIMIT: z.enum(["on", "off"], { error: "must be on or off" }).default("on"),
  RATE_LIMIT_CALLER: integer(1, 1_000_000_000).default(6000),
  RATE_LIMIT_ADDRESS: integer(1, 1_000_000_000).default(1200),
  MAX_CONNECTIONS: integer(1, 1_000_000).default(10_000),
  MAX_CONNECTIONS_PER_ADDRESS: integer(1, 1_000_000).default(256),
  MAX_SOCKETS: integer(1, 1_000_000).default(100),
  MAX_SUBSCRIPTIONS: integer(1, 10_000).default(50),
  SOCKET_BACKLOG: integer(1, 1_000_000).default(5_000),
  SOCKET_PING_INTERVAL: integer(100, 3_600_000).default(15_000),
  SHUTDOWN_DELAY: integer(0, 10_000).default(2_000),
  METRICS_TOKEN: z
    .string()
    .regex(/^[!-~]+$/, "must consist of visible ASCII characters, without spaces")
    .optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: baseUrl.refine((text) => !containsCredentials(text), "must not contain credentials").optional(),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(?:0?\.\d{1,9}|[01](?:\.0*)?)$/, "must be a number from 0 to 1")
    .transform(Number)
    .default(1),
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"], { error: "must be a log level of pino" }).default("info"),
});

/** The names of all settings. */
export const settingNames = Object.keys(settings.shape);

type Settings = z.infer<typeof settings>;

/** All settings, validated. AUTH_JWT_SECRET is absent if an identity provider issues the tokens. */
export type Environment = Omit<Settings, "LINK_SECRET" | "SUPPORT_HASH_SECRET"> & {
  LINK_SECRET: string[];
  SUPPORT_HASH_SECRET: string;
};

/** Reads and validates all settings; throws one error that lists every invalid one. For the embedded database, missing secrets are generated and stored. */
export function readEnvironment(variables: NodeJS.ProcessEnv = process.env): Environment {
  const present = presentOf(variables);
  return withSecrets(validated(settings, present, combinationIssues(present)));
}

const presentOf = (variables: NodeJS.ProcessEnv) => Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ""));

/** The values of some settings. */
function validated<Output>(some: z.ZodType<Output>, present: Record<string, string | undefined>, otherIssues: readonly string[]): Output {
  const parsed = some.safeParse(present);
  const issues = parsed.success ? [] : parsed.error.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`);
  issues.push(...otherIssues);
  if (!parsed.success || issues.length > 0) throw new Error(`Invalid settings:\n${issues.map((issue) => `  ${issue}`).join("\n")}`);
  return parsed.data;
}

/** Reads only DATABASE_URL, for commands that need nothing else. */
export function readDatabaseUrl(variables: NodeJS.ProcessEnv = process.env): string {
  const url = settings.shape.DATABASE_URL.safeParse(variables.DATABASE_URL || undefined);
  if (!url.success) throw new Error("DATABASE_URL must be a postgresql:// URL");
  if (!url.data) throw new Error("DATABASE_URL is not set: this command needs a PostgreSQL server (`npm start` migrates the embedded database)");
  return url.data;
}

const dataSettings = settings.pick({ DATABASE_URL: true, DATA_DIR: true, S3_BUCKET: true, S3_REGION: true, S3_ENDPOINT: true });

/** Reads only where the database and the pictures are, for commands that need nothing else. */
export function readDataSettings(variables: NodeJS.ProcessEnv = process.env): z.infer<typeof dataSettings> {
  const present = presentOf(variables);
  return validated(dataSettings, present, missingFor(present, ["S3_ENDPOINT"]));
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
const missingFor = (variables: Record<string, string | undefined>, names: (keyof typeof neededBy)[]): string[] =>
  names
    .filter((name) => variables[name] !== undefined && variables[neededBy[name]] === undefined)
    .map((name) => `${neededBy[name]} is required with ${name}`);

function combinationIssues(variables: Record<string, string | undefined>): string[] {
  const isSet = (name: string) => variables[name] !== undefined;
  const issuer = ["AUTH_ISSUER", "AUTH_AUDIENCE", "AUTH_JWKS_URL"].filter(isSet);
  const required: string[] = [];
  if (issuer.length > 0) required.push("AUTH_ISSUER", "AUTH_AUDIENCE");
  if (isSet("DATABASE_URL")) required.push("LINK_SECRET", "SUPPORT_HASH_SECRET");
  const issues = required
    .filter((name) => !isSet(name))
    .map((name) => `${name} is required with ${name.startsWith("AUTH") ? issuer.join(", ") : "DATABASE_URL"}`);
  if (isSet("AUTH_JWT_SECRET") && issuer.length > 0)
    issues.push(`AUTH_JWT_SECRET and ${issuer.join(", ")} are mutually exclusive: configure one of the two modes`);
  issues.push(...missingFor(variables, Object.keys(neededBy) as (keyof typeof neededBy)[]));
  for (const group of setTogether) {
    const set = group.filter(isSet);
    if (set.length > 0) issues.push(...group.filter((name) => !isSet(name)).map((name) => `${name} is required with ${set.join(", ")}`));
  }
  if (isSet("DATABASE_URL") && !isSet("AUTH_JWT_SECRET") && issuer.length === 0) {
    issues.push("AUTH_JWT_SECRET, or AUTH_ISSUER and AUTH_AUDIENCE, is required with DATABASE_URL");
  }
  return issues;
}

function withSecrets(configured: Settings): Environment {
  if (configured.DATABASE_URL) return configured as Environment;
  const file = path.join(configured.DATA_DIR, "secrets.json");
  const stored = readStoredSecrets(file) ?? createSecrets(file);
  const { AUTH_JWT_SECRET, ...others } = stored;
  return { ...others, ...(configured.AUTH_ISSUER ? {} : { AUTH_JWT_SECRET }), ...configured } as Environment;
}

const storedSecrets = settings.pick({ AUTH_JWT_SECRET: true, LINK_SECRET: true, SUPPORT_HASH_SECRET: true }).required();

type StoredSecrets = z.infer<typeof storedSecrets>;

function readStoredSecrets(file: string): StoredSecrets | undefined {
  try {
    return storedSecrets.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    const reason =
      error instanceof z.ZodError ? error.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`).join(", ") : (error as Error).message;
    throw new Error(`${file} cannot be read: ${reason}`);
  }
}

function createSecrets(file: string): StoredSecrets {
  const random = () => randomBytes(32).toString("hex");
  const secrets: z.input<typeof storedSecrets> = { AUTH_JWT_SECRET: random(), LINK_SECRET: random(), SUPPORT_HASH_SECRET: random() };
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const partial = `${file}.${process.pid}`;
  writeFileSync(partial, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  try {
    linkSync(partial, file);
    return storedSecrets.parse(secrets);
  } catch (error) {
    // Another process stored its secrets first: use those.
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return readStoredSecrets(file) as StoredSecrets;
    throw error;
  } finally {
    unlinkSync(partial);
  }
}
