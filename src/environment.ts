import { randomBytes } from "node:crypto";
import { accessSync, constants, linkSync, mkdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import addressparser from "nodemailer/lib/addressparser";
import { z } from "zod";
import { isTrustworthyUrl } from "./access/trustworthy-url.js";
import {
  baseUrl,
  integer,
  isHost,
  isPercentEncoded,
  itemsOf,
  networks,
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

/** A rule with an example, which the message about an invalid or missing setting shows. */
const setting = <Rule extends z.ZodType>(example: string, rule: Rule): Rule => rule.meta({ example });

const exampleSecret = "$(openssl rand -hex 32)";
const isLongEnough = (secret: string) => Buffer.byteLength(secret) >= 32;
/** Blanks around a secret are part of it, but nothing that makes it hard to guess. */
const secret = z.string().refine((text) => isLongEnough(text.trim()), "must have at least 32 bytes, not counting blanks around them");

/** One secret, or two while they are rotated: the first signs, both verify. A single one may not contain a comma. */
const rotatedSecret = z
  .string()
  .transform(itemsOf)
  .refine((secrets) => secrets.length <= 2, "must be one secret, or two that are separated by a comma")
  .refine((secrets) => secrets.every(isLongEnough), "must have at least 32 bytes, each of two");

/** A number of days; undefined for `off`. */
const retentionDays = z
  .string()
  .regex(/^(?:off|\d{1,5})$/, "must be off or a number of days")
  .transform((text) => (text === "off" ? undefined : Number(text)))
  .pipe(z.number().min(1, "must be at least 1").max(36_500, "must be at most 36500").optional());

/** Whoever means production must get it. */
const nodeEnvironment = textWithout((text) =>
  text !== "production" && /^\s*prod(?:uction)?\s*$/i.test(text) ? "must be production, in lower case, or another name" : undefined,
);

/** What is wrong with the path of a file. */
function fileIssue(text: string): string | undefined {
  try {
    accessSync(text, constants.R_OK);
    return statSync(text).isFile() ? undefined : `must name a file: ${text} is none`;
  } catch (error) {
    return `must name a file that can be read: ${text} cannot (${(error as NodeJS.ErrnoException).code})`;
  }
}

const databaseUrl = textWithout((text) => {
  // Before others, as what they find may be part of a password.
  if (/^postgres(?:ql)?:/.test(text) && text.includes("#")) return notEncoded;
  const issue = urlIssue(withHostInsteadOfSocket(text), { schemes: ["postgresql", "postgres"], credentials: true, path: true, query: true });
  if (issue !== undefined) return issue;
  const { pathname, searchParams } = new URL(text);
  if (!isPercentEncoded(pathname)) return "must have the special characters of the database's name percent-encoded";
  if (pathname.indexOf("/", 1) !== -1) return "must have no more than the name of a database behind its host: a / in a password is %2F";
  if ([...searchParams.keys()].some((name) => !/^\w+$/.test(name)))
    return "must have parameters of the connection behind its ?: one in a password is %3F";
  const certificates = ["sslcert", "sslkey", "sslrootcert"].flatMap((name) => searchParams.get(name) ?? []);
  return certificates.map(fileIssue).find((found) => found !== undefined);
});

/** A URL may name a Unix socket in place of a host, or as a parameter. */
const withHostInsteadOfSocket = (text: string) => text.replace(/^(\w+:\/\/(?:[^/@?]*@)?)(?:%2f[^/?]*|(?=\/[^?]*\?(?:.*&)?host=))/i, "$1localhost");

const redisUrl = textWithout((text) => {
  const issue = urlIssue(text, { schemes: ["redis", "rediss"], credentials: true, path: true, query: true });
  if (issue !== undefined) return issue;
  return /^(?:\/\d{0,5})?$/.test(new URL(text).pathname) ? undefined : "must have no more than the number of a database behind its host";
});

/** Options of the mail client cannot be given in the URL, such as one that accepts any certificate. */
const mailServerUrl = textWithout((text) => {
  const issue = urlIssue(text, { schemes: ["smtp", "smtps"], credentials: true });
  if (issue !== undefined) return issue;
  const { username, password } = new URL(text);
  return (username === "") === (password === "") ? undefined : "must contain a user and a password, or neither";
});

/** An international phone number or a short code, the SID of a messaging service, or an alphanumeric sender. */
const twilioSender = /^(?:\+?[0-9]{3,15}|MG[0-9a-f]{32}|(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11})$/;

/** Whether a text is an address or `Name <address>`. */
function isSender(text: string): boolean {
  const [sender, ...others] = addressparser(text);
  return sender !== undefined && "address" in sender && others.length === 0 && !/[\r\n]/.test(text) && emailAddress.safeParse(sender.address).success;
}

/** An address of the identity provider: what it answers is trusted. */
const providerUrl = ({ query }: { query?: true } = {}) =>
  textWithout((text) =>
    isTrustworthyUrl(text)
      ? urlIssue(text, { schemes: ["http", "https"], path: true, ...(query && { query }) })
      : "must be an https URL (http only on loopback)",
  );

const issuerUrl = providerUrl().refine((text) => !text.includes("/.well-known/"), "must be the issuer alone, without /.well-known/…");

/** `*`, or origins. */
const corsOrigins = textWithout((text) => {
  const items = itemsOf(text);
  if (items.includes("*")) return items.length === 1 ? undefined : "must be * alone, or a list of origins";
  return items.map(originIssue).find((issue) => issue !== undefined);
}).transform(itemsOf);

/** A directory, or the path of one that can be made. */
const directory = textWithout((text) => {
  try {
    accessSync(existingPart(path.resolve(text)), constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return `must be a directory that can be written to (${(error as NodeJS.ErrnoException).code})`;
  }
});

/** The directory, or the first above it that exists. */
function existingPart(wanted: string): string {
  const found = statSync(wanted, { throwIfNoEntry: false });
  if (!found) return existingPart(path.dirname(wanted));
  if (!found.isDirectory()) throw Object.assign(new Error(`${wanted} is a file`), { code: "ENOTDIR" });
  return wanted;
}

/** The name of a bucket, or the ARN of a place that leads to one. */
const bucket = /^(?:[a-z0-9](?:[a-z0-9._-]{1,253})[a-z0-9]|arn:[a-z0-9-]+:s3[a-z0-9:/_.-]*)$/i;

/** Scopes of OAuth, separated by single spaces. */
const scope = /^[!#-[\]-~]+(?: [!#-[\]-~]+)*$/;

const settings = z.object({
  NODE_ENV: setting("production", nodeEnvironment.default("development")),
  PORT: setting("8080", integer(0, 65_535).default(4000)),
  HOST: setting("0.0.0.0", z.string().refine(isHost, "must be an address or the name of a host").default("127.0.0.1")),
  PUBLIC_URL: setting("https://gateway.example", webOrigin.optional()),
  TRUST_PROXY: setting("1", trustedProxies.optional()),
  CORS_ORIGIN: setting("https://app.example,https://staging.example", corsOrigins.optional()),
  DATA_DIR: setting("/var/lib/gateway", directory.default("./data")),
  DATABASE_URL: setting("postgresql://gateway:p%40ssword@db.example:5432/gateway", databaseUrl.optional()),
  DATABASE_LISTEN_URL: setting("postgresql://gateway:p%40ssword@db-direct.example:5432/gateway", databaseUrl.optional()),
  REDIS_URL: setting("redis://:p%40ssword@redis.example:6379", redisUrl.optional()),
  DATABASE_POOL_SIZE: setting("20", integer(1, 1000).default(10)),
  DATABASE_CONNECT_TIMEOUT: setting("2000", integer(100, 600_000).default(5_000)),
  DATABASE_STATEMENT_TIMEOUT: setting("10000", integer(100, 3_600_000).default(30_000)),
  AUTH_JWT_SECRET: setting(exampleSecret, secret.optional()),
  AUTH_ISSUER: setting("https://id.example/realms/main", issuerUrl.optional()),
  AUTH_AUDIENCE: setting("gateway", visibleText.optional()),
  AUTH_JWKS_URL: setting("https://id.example/keys", providerUrl({ query: true }).optional()),
  CONSOLE_CLIENT_ID: setting("gateway-console", visibleText.optional()),
  CONSOLE_SCOPE: setting("openid offline_access", z.string().regex(scope, "must be scopes, separated by single spaces").default("openid")),
  LINK_SECRET: setting(exampleSecret, rotatedSecret.optional()),
  SUPPORT_HASH_SECRET: setting(exampleSecret, secret.optional()),
  SEED: setting("none", oneOf(["demo", "none"], "must be demo or none").optional()),
  DEMO_LIVE: setting("off", onOrOff.default("on")),
  S3_BUCKET: setting("alerts", z.string().regex(bucket, "must be the name of a bucket").optional()),
  S3_ENDPOINT: setting("https://minio.example:9000", webOrigin.optional()),
  S3_REGION: setting(
    "eu-central-1",
    z
      .string()
      .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i, "must be the name of a region")
      .default("us-east-1"),
  ),
  FEED_SERVER_URL: setting("https://feeds.example/streams", webUrl({ path: true, query: true }).optional()),
  WEBHOOK_ALLOWED_NETWORKS: setting("10.0.0.0/8,fd00::/8", networks.optional()),
  MAX_MESSAGES_PER_DAY: setting("200", integer(0, 1_000_000_000).default(1000)),
  SMTP_URL: setting("smtp://user:p%40ssword@mail.example:587", mailServerUrl.optional()),
  MAIL_FROM: setting("Alerts <alerts@site.example>", z.string().refine(isSender, "must be an email address, or Name <address>").optional()),
  TWILIO_ACCOUNT_SID: setting(
    "AC0123456789abcdef0123456789abcdef",
    z
      .string()
      .regex(/^[A-Za-z0-9]+$/, "must consist of letters and digits")
      .optional(),
  ),
  TWILIO_AUTH_TOKEN: setting("0123456789abcdef0123456789abcdef", visibleText.optional()),
  TWILIO_FROM: setting(
    "+12025550123",
    z.string().regex(twilioSender, "must be a phone number, a sender's name or the SID of a messaging service").optional(),
  ),
  TWILIO_URL: setting("https://sms.example", baseUrl.default("https://api.twilio.com")),
  ALERT_RETENTION_DAYS: setting("365", retentionDays.optional()),
  AUDIT_RETENTION_DAYS: setting("730", retentionDays.optional()),
  STREAM_REQUEST_TTL: setting("3600", integer(1, 31_536_000).default(86_400)),
  HEARTBEAT_TIMEOUT: setting("60", integer(1, 31_536_000).default(300)),
  MAX_UPLOAD_BYTES: setting("5000000", integer(1, 1_073_741_824).default(10 * 1024 * 1024)),
  MAX_PAGE_SIZE: setting("200", integer(20, 1000).default(1000)),
  MAX_QUERY_COST: setting("20000", integer(1, 100_000_000).default(100_000)),
  KNOWN_OPERATIONS: setting("/etc/gateway/operations.json", textWithout(fileIssue).optional()),
  STRICT_REST: setting("on", onOrOff.default("off")),
  RATE_LIMIT: setting("off", onOrOff.default("on")),
  RATE_LIMIT_CALLER: setting("600", integer(1, 1_000_000_000).default(6000)),
  RATE_LIMIT_ADDRESS: setting("300", integer(1, 1_000_000_000).default(1200)),
  MAX_CONNECTIONS: setting("2000", integer(1, 1_000_000).default(10_000)),
  MAX_CONNECTIONS_PER_ADDRESS: setting("50", integer(1, 1_000_000).default(256)),
  MAX_SOCKETS: setting("20", integer(1, 1_000_000).default(100)),
  MAX_SUBSCRIPTIONS: setting("10", integer(1, 10_000).default(50)),
  SOCKET_BACKLOG: setting("1000", integer(1, 1_000_000).default(5_000)),
  SOCKET_PING_INTERVAL: setting("30000", integer(100, 3_600_000).default(15_000)),
  SHUTDOWN_DELAY: setting("5000", integer(0, 10_000).default(2_000)),
  METRICS_TOKEN: setting(exampleSecret, visibleText.optional()),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting("http://collector:4318", baseUrl.optional()),
  OTEL_TRACES_SAMPLER_ARG: setting(
    "0.1",
    z
      .string()
      .regex(/^(?:0?\.\d{1,9}|[01](?:\.0*)?)$/, "must be a number from 0 to 1")
      .transform(Number)
      .default(1),
  ),
  LOG_LEVEL: setting("warn", oneOf(["trace", "debug", "info", "warn", "error", "fatal", "silent"], "must be a log level of pino").default("info")),
});

/** The names of all settings. */
export const settingNames = Object.keys(settings.shape);

/** An example of a setting. */
export const exampleOf = (name: string): string => String(z.globalRegistry.get(settings.shape[name as keyof Settings])?.example);

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

/** What is wrong with settings together, and the names of those that it can be mended by. */
interface CombinationIssue {
  message: string;
  mendedBy: readonly string[];
}

/** The values of some settings. */
function validated<Output>(some: z.ZodType<Output>, present: Record<string, string | undefined>, together: readonly CombinationIssue[]): Output {
  const parsed = some.safeParse(present);
  // The first of each.
  const issues = new Map((parsed.error?.issues ?? []).toReversed().map(({ path: [name], message }) => [String(name), `${String(name)} ${message}`]));
  const lines = [
    ...Array.from(issues, ([name, message]) => withExamples(message, [name])).toReversed(),
    ...together.map(({ message, mendedBy }) => withExamples(message, mendedBy)),
  ];
  if (!parsed.success || lines.length > 0) throw new Error(`Invalid settings:\n${lines.map((line) => `  ${line}`).join("\n")}`);
  return parsed.data;
}

const withExamples = (message: string, names: readonly string[]) =>
  names.length === 0 ? message : `${message}, for example ${names.map((name) => `${name}=${exampleOf(name)}`).join(" ")}`;

/** Reads only DATABASE_URL, for commands that need nothing else. */
export function readDatabaseUrl(variables: NodeJS.ProcessEnv = process.env): string {
  const url = settings.shape.DATABASE_URL.safeParse(variables.DATABASE_URL || undefined);
  if (!url.success) throw new Error(withExamples(`DATABASE_URL ${url.error.issues[0]?.message}`, ["DATABASE_URL"]));
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
const missingFor = (variables: Record<string, string | undefined>, names: (keyof typeof neededBy)[]): CombinationIssue[] =>
  names.filter((name) => variables[name] !== undefined && variables[neededBy[name]] === undefined).map((name) => required(neededBy[name], name));

const required = (name: string, by: string): CombinationIssue => ({ message: `${name} is required with ${by}`, mendedBy: [name] });

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
    issues.push({ message: `AUTH_JWT_SECRET and ${issuer.join(", ")} are mutually exclusive: configure one of the two modes`, mendedBy: [] });
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
