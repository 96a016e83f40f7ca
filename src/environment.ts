import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { isTrustworthyUrl } from "./access/jwt.js";

const integer = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d{1,12}$/, "must be a whole number")
    .transform(Number)
    .pipe(z.number().min(minimum, `must be at least ${minimum}`).max(maximum, `must be at most ${maximum}`));

const httpUrl = z.string().refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), "must be an http(s) URL");

function holdsCredentials(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return `${username}${password}` !== "";
}

/** What paths are put behind. */
const baseUrl = httpUrl.transform((text) => text.replace(/\/+$/, ""));

const secret = z.string().refine((text) => Buffer.byteLength(text) >= 32, "must have at least 32 bytes");

const databaseUrl = z.string().refine((text) => /^postgres(ql)?:\/\//.test(text) && URL.canParse(text), "must be a postgresql:// URL");

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
  LINK_SECRET: secret.optional(),
  SUPPORT_HASH_SECRET: secret.optional(),
  SEED: z.enum(["demo", "none"], { error: "must be demo or none" }).optional(),
  S3_BUCKET: z.string().min(3, "must have at least 3 characters").optional(),
  S3_ENDPOINT: baseUrl.optional(),
  S3_REGION: z.string().default("us-east-1"),
  FEED_SERVER_URL: httpUrl.refine((text) => !holdsCredentials(text), "must hold no credentials").optional(),
  STREAM_REQUEST_TTL: integer(1, 31_536_000).default(86_400),
  HEARTBEAT_TIMEOUT: integer(1, 31_536_000).default(300),
  MAX_UPLOAD_BYTES: integer(1, 1_073_741_824).default(10 * 1024 * 1024),
  MAX_PAGE_SIZE: integer(20, 1000).default(1000),
  MAX_QUERY_COST: integer(1, 100_000_000).default(100_000),
  RATE_LIMIT: z.enum(["on", "off"], { error: "must be on or off" }).default("on"),
  RATE_LIMIT_CALLER: integer(1, 1_000_000_000).default(6000),
  RATE_LIMIT_ADDRESS: integer(1, 1_000_000_000).default(1200),
  MAX_SOCKETS: integer(1, 1_000_000).default(100),
  MAX_SUBSCRIPTIONS: integer(1, 10_000).default(50),
  SOCKET_BACKLOG: integer(1, 1_000_000).default(5_000),
  SOCKET_PING_INTERVAL: integer(100, 3_600_000).default(15_000),
  SHUTDOWN_DELAY: integer(0, 10_000).default(2_000),
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"], { error: "must be a level of pino" }).default("info"),
});

type Settings = z.infer<typeof settings>;

/** Every setting, checked; the secrets are there in every mode but the one that does not need them. */
export type Environment = Omit<Settings, "LINK_SECRET" | "SUPPORT_HASH_SECRET"> & {
  LINK_SECRET: string;
  SUPPORT_HASH_SECRET: string;
};

/** Reads and checks all settings; throws one error that names every wrong one. Embedded, missing secrets are made and kept. */
export function readEnvironment(variables: NodeJS.ProcessEnv = process.env): Environment {
  const present = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ""));
  const parsed = settings.safeParse(present);
  const faults = parsed.success ? [] : parsed.error.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`);
  faults.push(...contradictions(present));
  if (!parsed.success || faults.length > 0) throw new Error(`The settings are not right:\n${faults.map((fault) => `  ${fault}`).join("\n")}`);
  return withSecrets(parsed.data);
}

/** DATABASE_URL alone, for the commands that need nothing else. */
export function readDatabaseUrl(variables: NodeJS.ProcessEnv = process.env): string {
  const url = settings.shape.DATABASE_URL.safeParse(variables.DATABASE_URL || undefined);
  if (!url.success) throw new Error("DATABASE_URL must be a postgresql:// URL");
  if (!url.data) throw new Error("DATABASE_URL is not set: this command works on a PostgreSQL server (`npm start` migrates the embedded database)");
  return url.data;
}

function contradictions(variables: Record<string, string | undefined>): string[] {
  const isSet = (name: string) => variables[name] !== undefined;
  const issuer = ["AUTH_ISSUER", "AUTH_AUDIENCE", "AUTH_JWKS_URL"].filter(isSet);
  const needed: string[] = [];
  if (issuer.length > 0) needed.push("AUTH_ISSUER", "AUTH_AUDIENCE");
  if (isSet("DATABASE_URL")) needed.push("LINK_SECRET", "SUPPORT_HASH_SECRET");
  const faults = needed
    .filter((name) => !isSet(name))
    .map((name) => `${name} is needed with ${name.startsWith("AUTH") ? issuer.join(", ") : "DATABASE_URL"}`);
  if (isSet("AUTH_JWT_SECRET") && issuer.length > 0) faults.push(`AUTH_JWT_SECRET and ${issuer.join(", ")} exclude each other: configure one mode`);
  if (isSet("DATABASE_LISTEN_URL") && !isSet("DATABASE_URL")) faults.push("DATABASE_URL is needed with DATABASE_LISTEN_URL");
  if (isSet("S3_ENDPOINT") && !isSet("S3_BUCKET")) faults.push("S3_BUCKET is needed with S3_ENDPOINT");
  if (isSet("DATABASE_URL") && !isSet("AUTH_JWT_SECRET") && issuer.length === 0) {
    faults.push("AUTH_JWT_SECRET, or AUTH_ISSUER and AUTH_AUDIENCE, is needed with DATABASE_URL");
  }
  return faults;
}

function withSecrets(given: Settings): Environment {
  if (given.DATABASE_URL) return given as Environment;
  const file = path.join(given.DATA_DIR, "secrets.json");
  const kept = readKept(file) ?? keep(file);
  const { AUTH_JWT_SECRET, ...others } = kept;
  return { ...others, ...(given.AUTH_ISSUER ? {} : { AUTH_JWT_SECRET }), ...given } as Environment;
}

const keptSecrets = settings.pick({ AUTH_JWT_SECRET: true, LINK_SECRET: true, SUPPORT_HASH_SECRET: true }).required();

type KeptSecrets = z.infer<typeof keptSecrets>;

function readKept(file: string): KeptSecrets | undefined {
  try {
    return keptSecrets.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    const reason =
      error instanceof z.ZodError ? error.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`).join(", ") : (error as Error).message;
    throw new Error(`${file} cannot be read: ${reason}`);
  }
}

function keep(file: string): KeptSecrets {
  const random = () => randomBytes(32).toString("hex");
  const made = { AUTH_JWT_SECRET: random(), LINK_SECRET: random(), SUPPORT_HASH_SECRET: random() };
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const partial = `${file}.${process.pid}`;
  writeFileSync(partial, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 });
  try {
    linkSync(partial, file);
    return made;
  } catch (error) {
    // Another process was faster: its secrets count.
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return readKept(file) as KeptSecrets;
    throw error;
  } finally {
    unlinkSync(partial);
  }
}
