// Runs once: no database can influence what is tested here.
import { existsSync } from "node:fs";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { cameraFeedOf } from "../../src/engine/settings/camera-feed.js";
import { readDatabaseUrl } from "../../src/engine/settings/commands.js";
import { readEnvironment } from "../../src/engine/settings/environment.js";
import { exampleOf, settingNames } from "../../src/engine/settings/settings.js";
import { testSecrets } from "../support/environment.js";
import { runCommand } from "../support/running-command.js";
import { directoryForTest } from "../support/temporary-directory.js";

/** A directory that does not exist yet. */
async function freshDirectory(): Promise<string> {
  return path.join(await directoryForTest(), "data");
}

/** Returns the error message for invalid settings. */
function errorMessageOf(variables: NodeJS.ProcessEnv): string {
  try {
    readEnvironment(variables);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("These settings were accepted");
}

it("every setting has a row in docs/settings.md, with its default", async () => {
  const document = await readFile(new URL("../../docs/settings.md", import.meta.url), "utf8");
  const rows = [...document.matchAll(/^\| `([A-Z0-9_]+)` \| ([^|]*?) ?\|/gm)].map(
    ([, name = "", shown = ""]) => [name, shown.replaceAll("`", "")] as const,
  );
  expect(rows.map(([name]) => name).sort()).toEqual([...settingNames].sort());
  const fixed = Object.entries(readEnvironment({ DATA_DIR: await freshDirectory() })).filter(
    ([name]) => !name.endsWith("_SECRET") && name !== "DATA_DIR",
  );
  expect(Object.fromEntries(rows)).toMatchObject(
    Object.fromEntries(fixed.map(([name, value]) => [name, String(value)])),
  );
});

const server = { ...testSecrets, DATABASE_URL: "postgresql://gateway@db.example/gateway" };
const issuer = { AUTH_ISSUER: "https://id.example/", AUTH_AUDIENCE: "cameras" };
const mail = { SMTP_URL: "smtps://mail.example", MAIL_FROM: "gateway@mail.example" };
const { AUTH_JWT_SECRET: _secret, ...serverWithoutTokens } = server;

describe("invalid settings", () => {
  it.each([
    [
      "a database server without any secret",
      { DATABASE_URL: server.DATABASE_URL },
      /LINK_SECRET .*\n.*SUPPORT_HASH_SECRET .*\n.*AUTH_JWT_SECRET, or AUTH_ISSUER/,
    ],
    [
      "an issuer together with a secret",
      { ...server, ...issuer },
      /AUTH_JWT_SECRET and AUTH_ISSUER, AUTH_AUDIENCE are mutually exclusive/,
    ],
    [
      "an issuer without an audience",
      { ...serverWithoutTokens, AUTH_ISSUER: issuer.AUTH_ISSUER },
      /AUTH_AUDIENCE is required/,
    ],
    [
      "an audience without an issuer",
      { ...serverWithoutTokens, AUTH_AUDIENCE: "cameras" },
      /AUTH_ISSUER is required/,
    ],
    [
      "three link secrets",
      { ...server, LINK_SECRET: ["x", "y", "z"].map((letter) => letter.repeat(32)).join() },
      /LINK_SECRET must be one secret, or two that are separated by a comma/,
    ],
    [
      "a feed server beside the feed of the gateway itself",
      { ...server, CAMERA_FEED: "builtin", FEED_SERVER_URL: "https://feeds.example" },
      /CAMERA_FEED=builtin and FEED_SERVER_URL are mutually exclusive/,
    ],
    [
      "the feed of the gateway itself without ffmpeg",
      { ...server, CAMERA_FEED: "builtin", PATH: "/missing" },
      /CAMERA_FEED=builtin needs ffmpeg and ffprobe, which were not found in PATH: .*FFMPEG_PATH=/,
    ],
  ])("are rejected: %s", (_name, variables, message) => {
    expect(errorMessageOf(variables)).toMatch(message);
  });

  it.each<[name: string, required: string, others?: NodeJS.ProcessEnv]>([
    ["DATABASE_LISTEN_URL", "DATABASE_URL", testSecrets],
    ["CONSOLE_CLIENT_ID", "AUTH_ISSUER"],
    ["CONSOLE_SCOPE", "CONSOLE_CLIENT_ID", { ...serverWithoutTokens, ...issuer }],
    ["S3_ENDPOINT", "S3_BUCKET"],
    ["SMTP_URL", "MAIL_FROM"],
    ["MAIL_FROM", "SMTP_URL"],
    ["TWILIO_ACCOUNT_SID", "TWILIO_AUTH_TOKEN"],
    ["TWILIO_ACCOUNT_SID", "TWILIO_FROM"],
    ["TWILIO_URL", "TWILIO_ACCOUNT_SID"],
  ])("are rejected: %s without %s", (name, required, others = server) => {
    const message = errorMessageOf({ ...others, [name]: values[name]?.good[0] });
    expect(message).toContain(`${required} is required with ${name}`);
  });

  it("never reveal secrets", () => {
    const message = errorMessageOf({
      DATABASE_URL: "mysql://gateway:open-sesame@db.example",
      AUTH_JWT_SECRET: "too-short-token",
      LINK_SECRET: "too-short-link",
    });
    expect(message).not.toMatch(/open-sesame|too-short/);
  });

  it("create no data directory", async () => {
    const DATA_DIR = await freshDirectory();
    errorMessageOf({ DATA_DIR, PORT: "http" });
    expect(existsSync(DATA_DIR)).toBe(false);
  });

  it("end the gateway with code 1, without a stack trace", async () => {
    const ending = await runCommand("main", {
      environment: { DATA_DIR: await freshDirectory(), PORT: "http", SEED: "some" },
    });
    expect(ending).toEqual({
      code: 1,
      output: "",
      errors:
        "Invalid settings:\n  PORT must be an integer, for example PORT=8080\n  SEED must be demo or none, for example SEED=none\n",
    });
  });
});

/** Values for a setting that is useless without others. */
const text = { TWILIO_ACCOUNT_SID: "AC0123", TWILIO_AUTH_TOKEN: "token", TWILIO_FROM: "+12025550123" };
const withIssuer = { ...serverWithoutTokens, ...issuer };
const surroundings: Partial<Record<string, NodeJS.ProcessEnv>> = {
  AUTH_ISSUER: withIssuer,
  AUTH_AUDIENCE: withIssuer,
  AUTH_JWKS_URL: withIssuer,
  CONSOLE_CLIENT_ID: withIssuer,
  CONSOLE_SCOPE: { ...withIssuer, CONSOLE_CLIENT_ID: "console" },
  S3_ENDPOINT: { ...server, S3_BUCKET: "pictures" },
  SMTP_URL: { ...server, ...mail },
  MAIL_FROM: { ...server, ...mail },
  TWILIO_ACCOUNT_SID: { ...server, ...text },
  TWILIO_AUTH_TOKEN: { ...server, ...text },
  TWILIO_FROM: { ...server, ...text },
  TWILIO_URL: { ...server, ...text },
  OTEL_TRACES_SAMPLER_ARG: { ...server, OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" },
};

/** No whole number in plain decimal notation. */
const noInteger = [
  "1e3",
  " 5",
  "5 ",
  "0x10",
  "-1",
  "+1",
  "1.0",
  "1_000",
  "5s",
  "1,000",
  "ten",
  "٣",
  "Infinity",
  "99999999999999",
];
const noSwitch = ["true", "1", "ON", "yes", " on"];
const blanks = " ".repeat(35);
const shortSecret = ["short", "x".repeat(31), blanks, `${blanks}x`, "\u00a0".repeat(35)];
const noWebUrl = [
  ...[
    "gateway.example",
    "ftp://gateway.example",
    "//gateway.example",
    "https://",
    "https:gateway.example",
    " https://gateway.example",
    "javascript:alert(1)",
  ],
  ...[
    "https://gateway example",
    "https://*.example",
    "https://gateway.example:0",
    "https://gateway.example:99999",
    "https://300.1.1.1",
  ],
  ...[
    "https://user:pw@gateway.example",
    "https://user@gateway.example",
    "https://:password@gateway.example",
    "https://gateway.example/#top",
    "https://gateway.example/a b",
  ],
];
const noOrigin = [...noWebUrl, "https://gateway.example/path", "https://gateway.example/?query=1"];
const noDatabase = [
  ...[
    "mysql://db.example/x",
    "db.example:5432",
    "postgresql://",
    "http://db.example",
    "postgresql://h1,h2/x",
    "postgresql://db.example:0/x",
  ],
  ...[
    "postgresql://db.example:99999/x",
    "postgresql://user:p#ss@db.example/x",
    "postgresql://user:p/ss@db.example/x",
    "postgresql://user:p?ss@db.example/x",
  ],
  ...[
    "postgresql://user:50%@db.example/x",
    "postgresql://user:a/b@c@db.example/x",
    "postgresql://user:1?a@c@db.example/x",
    "postgresql://db.example/50%",
  ],
  ...[
    "postgresql://db.example/x/y",
    "postgresql://db.example/x y",
    " postgresql://db.example/x",
    "postgresql://db.example/x?sslrootcert=/missing.pem",
  ],
];
const database = [
  ...[
    "postgresql://db.example/x",
    "postgres://user@db.example",
    "postgresql://user:p%40ss%2Fword@[2001:db8::5]:6432/x?sslmode=verify-full",
  ],
  ...["postgresql:///x?host=/var/run/postgresql", "postgresql://user@%2Fvar%2Frun/x"],
];

const onOrOff = { good: ["on", "off"], bad: noSwitch };
const positive = { good: ["1"], bad: [...noInteger, "0"] };

/** Values of each setting with which the gateway works, and with which it cannot. */
const values: Record<string, { good: string[]; bad: string[] }> = {
  NODE_ENV: {
    good: ["production", "development", "test", "staging"],
    bad: ["Production", "PRODUCTION", "production ", "prod"],
  },
  PORT: { good: ["0", "80", "65535"], bad: [...noInteger, "65536", "http"] },
  HOST: {
    good: ["0.0.0.0", "::", "localhost", "gateway-1.example"],
    bad: ["http://0.0.0.0", "0.0.0.0:4000", "[::]", "a b", "300.0.0.1", "*"],
  },
  PUBLIC_URL: {
    good: ["https://gateway.example", "http://10.0.0.1:8080", "https://[2001:db8::1]/"],
    bad: noOrigin,
  },
  TRUST_PROXY: {
    good: ["0", "1", "2", "false", "loopback", "10.0.0.0/8, fd00::/8", "10.0.0.1"],
    bad: [
      "true",
      "yes",
      "1e3",
      "-1",
      "0.0.0.0/0",
      "::/0",
      "10.0.0.0/8,0.0.0.0/0",
      "10.0.0.0/33",
      "proxy.example",
      "10.0.0.1,",
      "100",
    ],
  },
  CORS_ORIGIN: {
    good: ["*", "https://a.example", "https://a.example, http://localhost:3000", "capacitor://localhost"],
    bad: [
      ...[
        "https://a.example/",
        "https://a.example/app",
        "https://A.example",
        "https://a.example:443",
        "http://a.example:80",
        "https://*.example",
        "a.example",
      ],
      ...[
        "null",
        "*,https://a.example",
        "https://a.example,",
        "https://a.example https://b.example",
        "https://user@a.example",
        "https://a.example?x=1",
      ],
    ],
  },
  DATA_DIR: { good: ["./data", tmpdir()], bad: ["/etc/hostname", "/etc/hostname/data", "/proc/x", "/sys/x"] },
  DATABASE_URL: { good: database, bad: noDatabase },
  DATABASE_LISTEN_URL: { good: database, bad: noDatabase },
  REDIS_URL: {
    good: [
      "redis://redis",
      "rediss://user:p%40ss@redis.example:6380/1",
      "redis://:secret@127.0.0.1",
      "redis://[::1]:6379",
    ],
    bad: [
      "redis.example:6379",
      "http://redis.example",
      "redis://",
      "redis://:50%@redis.example",
      "redis://redis.example/cache",
      "redis://redis.example:0",
    ],
  },
  DATABASE_POOL_SIZE: { good: ["1", "1000"], bad: [...noInteger, "0", "1001"] },
  DATABASE_CONNECT_TIMEOUT: { good: ["100"], bad: [...noInteger, "0", "99"] },
  DATABASE_STATEMENT_TIMEOUT: { good: ["100"], bad: [...noInteger, "0", "30s"] },
  AUTH_JWT_SECRET: { good: ["x".repeat(32)], bad: shortSecret },
  AUTH_ISSUER: {
    good: [
      "https://id.example/realms/main/",
      "http://localhost:8080/realm",
      "http://127.0.0.1:8080",
      "http://[::1]:8080",
    ],
    bad: [
      ...[
        "http://id.example",
        "id.example",
        "https://id.example?x=1",
        "https://id.example/#x",
        "https://user:pw@id.example",
        " https://id.example",
      ],
      "https://id.example/.well-known/openid-configuration",
    ],
  },
  AUTH_AUDIENCE: { good: ["gateway", "https://gateway.example/api"], bad: [" ", "gateway ", "one two"] },
  AUTH_JWKS_URL: {
    good: ["https://id.example/keys?v=1"],
    bad: ["http://id.example/keys", "https://user:pw@id.example/keys", "/keys", "https://id.example/keys#1"],
  },
  CONSOLE_CLIENT_ID: { good: ["console"], bad: [" ", "a b"] },
  CONSOLE_SCOPE: {
    good: ["openid", "openid offline_access api://gateway/read"],
    bad: [" ", "openid  email", "openid,email\n", '"openid"'],
  },
  LINK_SECRET: {
    good: ["x".repeat(32), `${"x".repeat(32)},${"y".repeat(32)}`],
    bad: [...shortSecret, `${"x".repeat(32)},`, `${"x".repeat(32)},${"y".repeat(31)}`],
  },
  SUPPORT_HASH_SECRET: { good: ["x".repeat(32)], bad: shortSecret },
  SEED: { good: ["demo", "none"], bad: ["Demo", "true", "on"] },
  CAMERA_TLS_VERIFY: onOrOff,
  DEMO_LIVE: onOrOff,
  S3_BUCKET: {
    good: ["pictures", "a.b-c", "arn:aws:s3:eu-central-1:123456789012:accesspoint/pictures"],
    bad: ["s3", "s3://pictures", "pictures/alerts", "-pictures", "a b c"],
  },
  S3_ENDPOINT: { good: ["https://minio.example", "http://127.0.0.1:9000/"], bad: noOrigin },
  S3_REGION: { good: ["us-east-1", "auto"], bad: ["us east", "us-east-1 ", "https://s3.example"] },
  FEED_SERVER_URL: { good: ["https://feeds.example/streams?site=1"], bad: noWebUrl },
  CAMERA_FEED: { good: ["off"], bad: [...noSwitch, "on", "ffmpeg"] },
  FFMPEG_PATH: { good: [], bad: ["ffmpeg", "/missing/ffmpeg", tmpdir(), "package.json"] },
  MAX_CAMERAS: { good: ["1", "1000000"], bad: [...noInteger, "0", "1000001"] },
  FEED_CONCURRENCY: { good: ["1", "64"], bad: [...noInteger, "0", "65"] },
  FEED_RING: { good: ["0", "300"], bad: [...noInteger, "301", "20s"] },
  FEED_RINGS: { good: ["1", "1000"], bad: [...noInteger, "0", "1001"] },
  CAMERA_REFRESH: { good: ["0", "86400"], bad: [...noInteger, "86401", "5m"] },
  CAMERA_LOST_AFTER: { good: ["0", "86400"], bad: [...noInteger, "86401"] },
  CAMERA_ALLOWED_NETWORKS: {
    good: ["192.168.0.0/16", "192.168.0.0/16, fd00::/8"],
    bad: ["192.168.0.1", "10.0.0.0/33", "cameras.example", "10.0.0.0/8,", "all"],
  },
  PICTURE_PROXY_NETWORKS: {
    good: ["public", "192.168.0.0/16, public", "10.0.0.0/8,fd00::/8"],
    bad: ["10.0.0.1", "10.0.0.0/33", "pictures.example", "public,", "all"],
  },
  WEBHOOK_ALLOWED_NETWORKS: {
    good: ["10.0.0.0/8", "10.0.0.0/8, fd00::/8"],
    bad: ["10.0.0.1", "10.0.0.0/33", "hooks.example", "10.0.0.0/8,", "all"],
  },
  MAX_MESSAGES_PER_DAY: { good: ["0", "5"], bad: noInteger },
  SMTP_URL: {
    good: ["smtp://mail.example", "smtps://user:p%40ss%2Fword@mail.example:465", "smtp://[2001:db8::25]/"],
    bad: [
      ...[
        "mail.example:25",
        "http://mail.example",
        "smtp://",
        "smtp://user:50%@mail.example",
        "smtp://user:p#ss@mail.example",
        "smtp://user:p/ss@mail.example",
      ],
      ...[
        "smtp://user@mail.example",
        "smtp://mail.example/x",
        "smtp://mail.example?secure=true",
        "smtp://mail.example:0",
        "smtp://mail.example:99999",
        "smtp://a,b",
      ],
    ],
  },
  MAIL_FROM: {
    good: ["a@site.example", "Alerts <a@site.example>", '"Safety, Istanbul" <a@site.example>'],
    bad: ["alerts", "a@site.example, b@site.example", "Alerts <alerts>"],
  },
  TWILIO_ACCOUNT_SID: { good: ["AC0123"], bad: ["AC 01", "../x"] },
  TWILIO_AUTH_TOKEN: { good: ["0123abc"], bad: ["a b", "token\n"] },
  TWILIO_FROM: {
    good: ["+12025550123", "24365", "Site", "MG0123456789abcdef0123456789abcdef"],
    bad: ["+1 (202) 555-0123", "A name that is too long"],
  },
  TWILIO_URL: {
    good: ["https://sms.example", "https://sms.example/api/"],
    bad: [...noWebUrl, "https://sms.example?x=1"],
  },
  ALERT_RETENTION_DAYS: { good: ["off", "1", "36500"], bad: [...noInteger, "0", "36501", "OFF", "30d"] },
  CLIP_RETENTION_DAYS: { good: ["off", "1"], bad: [...noInteger, "0", "36501"] },
  AUDIT_RETENTION_DAYS: { good: ["off", "365"], bad: [...noInteger, "0", "36501"] },
  KEEP_DETECTIONS: onOrOff,
  MCP: onOrOff,
  MCP_WRITE: onOrOff,
  FEDERATION: onOrOff,
  STREAM_REQUEST_TTL: positive,
  HEARTBEAT_TIMEOUT: { good: ["1"], bad: [...noInteger, "0", "5m"] },
  MAX_UPLOAD_BYTES: { good: ["1", "1073741824"], bad: [...noInteger, "0", "10 MiB", "1073741825"] },
  MAX_CLIP_BYTES: { good: ["1", "1073741824"], bad: [...noInteger, "0", "50 MiB", "1073741825"] },
  MAX_PAGE_SIZE: { good: ["20", "1000"], bad: [...noInteger, "19", "1001"] },
  MAX_QUERY_COST: positive,
  KNOWN_OPERATIONS: { good: ["package.json"], bad: ["missing.json", tmpdir(), "package.json/x"] },
  STRICT_REST: onOrOff,
  STRICT_PERMISSIONS: onOrOff,
  RATE_LIMIT: onOrOff,
  RATE_LIMIT_CALLER: positive,
  RATE_LIMIT_ADDRESS: positive,
  RATE_LIMIT_DETECTIONS: { good: ["1000"], bad: [...noInteger, "999"] },
  MAX_CONNECTIONS: positive,
  MAX_CONNECTIONS_PER_ADDRESS: positive,
  MAX_SOCKETS: positive,
  MAX_SUBSCRIPTIONS: positive,
  SOCKET_BACKLOG: positive,
  SOCKET_PING_INTERVAL: { good: ["100"], bad: [...noInteger, "99"] },
  SHUTDOWN_DELAY: { good: ["0"], bad: [...noInteger, "10001"] },
  METRICS_TOKEN: { good: ["0123abc"], bad: ["with spaces", "umläut", " token"] },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    good: ["http://collector:4318", "https://traces.example/v2/"],
    bad: [...noWebUrl, "https://traces.example?key=1"],
  },
  OTEL_TRACES_SAMPLER_ARG: {
    good: ["0", "1", "0.25", ".5"],
    bad: ["1.5", "-0.1", "1e-3", "25%", " 1", "all"],
  },
  LOG_LEVEL: { good: ["info", "silent"], bad: ["INFO", "loud", "warning", "3"] },
};

describe("each setting", () => {
  it("is in the table", () => {
    expect(Object.keys(values).sort()).toEqual([...settingNames].sort());
  });

  it.each(Object.entries(values))("%s is checked as it will be used", (name, { good, bad }) => {
    const others = surroundings[name] ?? server;
    // An embedded database would be given secrets in its directory.
    const read = (value: string) => readEnvironment({ ...others, [name]: value });
    for (const value of good) expect(() => read(value), value).not.toThrow();
    for (const value of bad) {
      const message = errorMessageOf({ ...others, [name]: value });
      expect(message, value).toMatch(
        new RegExp(`^Invalid settings:\\n  ${name} [^\\n]+, for example ${name}=[^\\n]+$`),
      );
    }
    const example = exampleOf(name);
    if (!/SECRET|TOKEN$|^KNOWN_OPERATIONS$|^FFMPEG_PATH$/.test(name))
      expect(() => read(example), example).not.toThrow();
  });
});

it("the built gateway reports the bad values of all settings at once, each with the name of its setting", async () => {
  const tried = Object.fromEntries(Object.entries(values).map(([name, { bad }]) => [name, bad[0]]));
  const { code, errors } = await runCommand("main", { environment: { ...server, ...tried } });
  const refused = new Set(Array.from(errors.matchAll(/^ {2}([A-Z0-9_]+) must /gm), ([, name]) => name));
  expect({ code, accepted: settingNames.filter((name) => !refused.has(name)) }, errors).toEqual({
    code: 1,
    accepted: [],
  });
});

describe("valid settings", () => {
  it("may be empty, which counts as unset", async () => {
    const DATA_DIR = await freshDirectory();
    const empty = {
      PORT: "",
      HOST: "",
      DATABASE_URL: "",
      AUTH_ISSUER: "",
      AUTH_AUDIENCE: "",
      SEED: "",
      S3_BUCKET: "",
      S3_ENDPOINT: "",
      S3_REGION: "",
      FEED_SERVER_URL: "",
      LINK_SECRET: "",
      PUBLIC_URL: "",
      CORS_ORIGIN: "",
    };
    expect(readEnvironment({ DATA_DIR, ...empty })).toEqual(readEnvironment({ DATA_DIR }));
  });

  it.each(["PUBLIC_URL", "S3_ENDPOINT"] as const)("write %s as browsers write origins", (name) => {
    const { [name]: url } = readEnvironment({
      ...server,
      S3_BUCKET: "pictures",
      [name]: "HTTPS://Cameras.example:443/",
    });
    expect(url).toBe("https://cameras.example");
  });

  it("strip the trailing slash of addresses to which paths are appended", () => {
    const { OTEL_EXPORTER_OTLP_ENDPOINT } = readEnvironment({
      ...server,
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://traces.example/v2/",
    });
    expect(OTEL_EXPORTER_OTLP_ENDPOINT).toBe("https://traces.example/v2");
  });

  it("let the gateway open streams where ffmpeg and ffprobe are, and nothing speaks against it", async () => {
    const directory = await freshDirectory();
    const ffmpeg = path.join(directory, "ffmpeg");
    await mkdir(directory);
    await writeFile(ffmpeg, "", { mode: 0o700 });
    expect(errorMessageOf({ ...server, FFMPEG_PATH: ffmpeg })).toMatch(
      /FFMPEG_PATH must name a file with ffprobe in the same directory/,
    );
    const feedOf = (variables: Record<string, string>) =>
      cameraFeedOf(readEnvironment({ ...server, ...variables, PATH: directory }), directory);
    expect(feedOf({})).toEqual({ reason: "ffmpeg and ffprobe were not found in PATH" });
    await writeFile(path.join(directory, "ffprobe"), "", { mode: 0o700 });
    expect(feedOf({})).toEqual({ ffmpegPath: ffmpeg });
    expect(feedOf({ CAMERA_FEED: "builtin" })).toEqual({ ffmpegPath: ffmpeg });
    expect(feedOf({ FFMPEG_PATH: ffmpeg })).toEqual({ ffmpegPath: ffmpeg });
    expect(feedOf({ CAMERA_FEED: "off" })).toEqual({ reason: "CAMERA_FEED is off" });
    expect(feedOf({ FEED_SERVER_URL: "https://feeds.example" })).toEqual({
      reason: "FEED_SERVER_URL is set",
    });
  });

  it("keep a trailing slash in FEED_SERVER_URL", () => {
    const { FEED_SERVER_URL } = readEnvironment({
      ...server,
      FEED_SERVER_URL: "https://feeds.example/requests/",
    });
    expect(FEED_SERVER_URL).toBe("https://feeds.example/requests/");
  });

  it("accept several CORS origins", () => {
    const { CORS_ORIGIN } = readEnvironment({
      ...server,
      CORS_ORIGIN: "https://a.example, https://b.example",
    });
    expect(CORS_ORIGIN).toEqual(["https://a.example", "https://b.example"]);
  });
});

it.each([
  ["no DATABASE_URL", undefined, /^DATABASE_URL is not set.*$/],
  ["an empty one", "", /^DATABASE_URL is not set.*$/],
  [
    "one of another kind",
    "mysql://root:open-sesame@db.example/x",
    /^DATABASE_URL must be a postgresql:\/\/ or postgres:\/\/ URL, for example DATABASE_URL=postgresql:.*$/,
  ],
])("commands that need a database server fail with a one-line error: %s", (_name, DATABASE_URL, message) => {
  expect(() => readDatabaseUrl({ DATABASE_URL })).toThrow(message);
});

it.each([
  ["30", 30],
  ["off", undefined],
  ["", undefined],
])("ALERT_RETENTION_DAYS and AUDIT_RETENTION_DAYS %s is %s", (text, days) => {
  const { ALERT_RETENTION_DAYS, AUDIT_RETENTION_DAYS } = readEnvironment({
    ...server,
    ALERT_RETENTION_DAYS: text,
    AUDIT_RETENTION_DAYS: text,
  });
  expect([ALERT_RETENTION_DAYS, AUDIT_RETENTION_DAYS]).toEqual([days, days]);
});

describe("the secrets of the embedded database", () => {
  const names = Object.keys(testSecrets) as (keyof typeof testSecrets)[];

  it("are generated once, all different, and reused", async () => {
    const DATA_DIR = await freshDirectory();
    const first = readEnvironment({ DATA_DIR });
    const second = readEnvironment({ DATA_DIR });
    const secrets = names.map((name) => String(first[name]));
    expect(secrets.every((secret) => Buffer.byteLength(secret) >= 32)).toBe(true);
    expect(new Set(secrets).size).toBe(names.length);
    expect(names.map((name) => String(second[name]))).toEqual(secrets);
  });

  it("are readable by their owner only", async () => {
    const DATA_DIR = await freshDirectory();
    readEnvironment({ DATA_DIR });
    const modes = [await stat(DATA_DIR), await stat(path.join(DATA_DIR, "secrets.json"))].map(({ mode }) =>
      (mode & 0o777).toString(8),
    );
    expect(modes).toEqual(["700", "600"]);
  });

  it("are overridden by settings", async () => {
    const DATA_DIR = await freshDirectory();
    const { LINK_SECRET: kept } = readEnvironment({ DATA_DIR });
    const { LINK_SECRET } = testSecrets;
    expect(readEnvironment({ DATA_DIR, LINK_SECRET }).LINK_SECRET).toEqual([LINK_SECRET]);
    expect(readEnvironment({ DATA_DIR }).LINK_SECRET).toEqual(kept);
  });

  it("do not include a token secret if an issuer is set", async () => {
    expect(readEnvironment({ DATA_DIR: await freshDirectory(), ...issuer }).AUTH_JWT_SECRET).toBeUndefined();
  });

  it("are not generated with a database server", async () => {
    const DATA_DIR = await freshDirectory();
    readEnvironment({ ...server, DATA_DIR });
    expect(existsSync(path.join(DATA_DIR, "secrets.json"))).toBe(false);
  });

  it("are not overwritten when the file is damaged, which fails the start", async () => {
    const DATA_DIR = await freshDirectory();
    readEnvironment({ DATA_DIR });
    const file = path.join(DATA_DIR, "secrets.json");
    await writeFile(file, '{ "AUTH_JWT_SECRET": "half');
    expect(errorMessageOf({ DATA_DIR })).toContain(`${file} cannot be read`);
    expect(await readFile(file, "utf8")).toBe('{ "AUTH_JWT_SECRET": "half');
  });

  it("must all be present in the file", async () => {
    const DATA_DIR = await freshDirectory();
    readEnvironment({ DATA_DIR });
    const file = path.join(DATA_DIR, "secrets.json");
    await writeFile(file, "{}");
    expect(errorMessageOf({ DATA_DIR })).toContain(file);
  });
});
