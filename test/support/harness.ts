import { AsyncLocalStorage } from "node:async_hooks";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { inject } from "vitest";
import { signToken } from "../../src/engine/access/jwt.js";
import { Worker } from "../../src/engine/leases/worker.js";
import { readEnvironment } from "../../src/engine/settings/environment.js";
import type { PrismaClient } from "../../src/generated/prisma/client.js";
import { type App, type AppOptions, createApp } from "../../src/programs/gateway/app.js";
import { createDatabase, dropDatabase } from "./databases.js";
import { testSecrets } from "./environment.js";
import { createWorkspace } from "./factories.js";
import { type UploadOperation, uploadRequest } from "./forms.js";
import { rememberCapabilities, scanLog } from "./log-scan.js";
import { databaseOf, directoryOf, requireResource, type Seed } from "./resources.js";
import { checkStatement, loadParser, runOwnStatements } from "./workspace-statements.js";

/**
 * Distinguishes the statements of background workers, which run at any time, from those
 * of requests.
 */
const inBackground = new AsyncLocalStorage<boolean>();
const { wake } = Worker.prototype;
Worker.prototype.wake = function (this: Worker) {
  inBackground.run(true, () => wake.call(this));
};

/** A test's requirements for its gateway. */
export interface GatewayOptions extends Omit<AppOptions, "onStatement"> {
  /** `none`, the default: nothing but the schema. `demo`: the demo fleet with its pictures. */
  seed?: Seed;
  /** Settings beyond the usual ones; undefined takes one away. */
  environment?: Record<string, string | undefined>;
}

/** Who sends a request: a user by `authId`, a raw Authorization header, or nobody. */
export type Sender = { user: string } | { authorization: string } | "nobody";

/** The answer of a GraphQL operation. */
export interface GraphQLAnswer<Data> {
  status: number;
  headers: Headers;
  data: Data;
  errors:
    | {
        message: string;
        path?: (string | number)[];
        extensions: { code: string; details?: { path: string; message: string }[] };
      }[]
    | undefined;
}

/** A real gateway on a fresh copy of a template database. */
export class Gateway {
  #prisma: PrismaClient | undefined;

  constructor(
    readonly app: App,
    /** The SQL statements run for requests since {@link Gateway.clearStatements}. */
    readonly statements: string[],
    /** The SQL statements run by background workers since then. */
    readonly workerStatements: string[],
    private readonly cleanUp: () => Promise<void>,
  ) {}

  get url(): string {
    return this.app.url;
  }

  /** The database, for tests that prepare or look up rows of any workspace. */
  get prisma(): PrismaClient {
    const own = {
      $allOperations: ({ args, query }: { args: unknown; query: (args: unknown) => Promise<unknown> }) =>
        runOwnStatements(() => query(args)),
    };
    this.#prisma ??= this.app.database.prisma.$extends({ query: own }) as unknown as PrismaClient;
    return this.#prisma;
  }

  clearStatements(): void {
    this.statements.length = 0;
    this.workerStatements.length = 0;
  }

  /** Sends an HTTP request. A failing test shows its path and the answer. */
  async fetch(target: string, options: RequestInit & { as?: Sender } = {}): Promise<Response> {
    const { as = "nobody", ...init } = options;
    const headers = new Headers(init.headers);
    const authorization = await authorizationOf(as);
    if (authorization) headers.set("authorization", authorization);
    const response = await fetch(new URL(target, this.url), { ...init, headers });
    if ([429, 503].includes(response.status)) expectRetryAfter(response, target);
    return response;
  }

  /** Runs a GraphQL operation over HTTP, whatever the outcome. */
  async graphql<Data = never>(
    query: string,
    options: {
      as?: Sender;
      variables?: object;
      operationName?: string;
      headers?: Record<string, string>;
    } = {},
  ): Promise<GraphQLAnswer<Data>> {
    const { as = "nobody", variables, operationName, headers } = options;
    const response = await this.fetch("/graphql", {
      method: "POST",
      as,
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ query, variables, operationName }),
    });
    return graphqlAnswer(response);
  }

  /** Runs a GraphQL operation with a file, whatever the outcome. */
  async upload<Data = never>(
    operation: UploadOperation,
    { as }: { as: Sender },
  ): Promise<GraphQLAnswer<Data>> {
    return graphqlAnswer(await this.fetch("/graphql", { as, ...uploadRequest(operation) }));
  }

  /** The data of a GraphQL operation that must succeed. */
  async data<Data>(query: string, options: { as: Sender; variables?: object }): Promise<Data> {
    const answer = await this.graphql<Data>(query, options);
    if (answer.errors)
      throw new Error(
        `The operation failed: ${JSON.stringify(answer.errors)}\n${query}\n${JSON.stringify(options.variables)}`,
      );
    return answer.data;
  }

  async close(): Promise<void> {
    await this.app.close();
    await this.cleanUp();
  }
}

/** Whatever a test is about, no refusal for the moment leaves out when to try again. */
function expectRetryAfter({ headers }: Response, description: string): void {
  if (!(Number(headers.get("retry-after")) > 0)) throw new Error(`No Retry-After: ${description}`);
}

async function graphqlAnswer<Data>(response: Response): Promise<GraphQLAnswer<Data>> {
  const text = await response.text();
  rememberCapabilities(text);
  const { data, errors } = JSON.parse(text) as Pick<GraphQLAnswer<Data>, "data" | "errors">;
  if (errors?.some(({ extensions }) => ["RATE_LIMITED", "UNAVAILABLE"].includes(extensions.code)))
    expectRetryAfter(response, text);
  return { status: response.status, headers: response.headers, data, errors };
}

/** The Authorization header of a sender. */
export async function authorizationOf(sender: Sender): Promise<string | undefined> {
  if (sender === "nobody") return undefined;
  if ("authorization" in sender) return sender.authorization;
  return `Bearer ${await signToken(testSecrets.AUTH_JWT_SECRET, sender.user, 3600, new Date())}`;
}

/** Starts a gateway, which has to be closed: {@link ownGateway} and {@link gatewayForTest} do so. */
export async function startGateway({
  seed = "none",
  environment,
  ...options
}: GatewayOptions = {}): Promise<Gateway> {
  const { variables, cleanUp } = await freshData(seed);
  const gateway = await gatewayOn({ SEED: seed, ...variables, ...environment }, options, cleanUp);
  // Tests that count statements do not count those of the start.
  await gateway.app.idle();
  gateway.clearStatements();
  return gateway;
}

interface SharedGateway {
  gateway: Promise<Gateway>;
  now: () => Date;
}

/** The shared gateways of this worker by their settings. */
const shared = new Map<string, SharedGateway>();

/**
 * The gateway of all files of this worker that need these settings and only their own
 * workspaces, which they must create. Its database may contain workspaces of other files;
 * the demo must stay as it is. `now` is its clock from here on. It runs until the worker
 * ends.
 */
export async function sharedGateway({
  seed = "none",
  environment = {},
  now = () => new Date(),
}: Pick<GatewayOptions, "seed" | "environment" | "now"> = {}): Promise<Gateway> {
  const key = JSON.stringify([seed, Object.entries(environment).sort()]);
  const known = shared.get(key);
  const entry: SharedGateway = known ?? {
    gateway: startGateway({ seed, environment, now: () => entry.now() }),
    now,
  };
  entry.now = now;
  shared.set(key, entry);
  const gateway = await entry.gateway;
  await gateway.app.idle();
  gateway.clearStatements();
  return gateway;
}

/** The shared gateway for some settings, with a new workspace there. */
export async function sharedWorkspace(options: Parameters<typeof sharedGateway>[0] = {}) {
  const gateway = await sharedGateway(options);
  const { prisma } = gateway;
  return { gateway, prisma, workspaceId: await createWorkspace(prisma) };
}

/**
 * Starts a gateway on existing data. Runs `cleanUp` once it is closed. Its log is scanned
 * for secrets.
 */
export async function gatewayOn(
  environment: Record<string, string | undefined>,
  options: Omit<AppOptions, "onStatement"> = {},
  cleanUp: () => Promise<void> = async () => {},
): Promise<Gateway> {
  const settings = {
    ...testSecrets,
    PORT: "0",
    LOG_LEVEL: "debug",
    RATE_LIMIT: "off",
    DEMO_LIVE: "off",
    CAMERA_FEED: "off",
    ...environment,
  };
  const statements: string[] = [];
  const workerStatements: string[] = [];
  await Promise.all([requireResource("pages"), loadParser()]);
  const write = (line: string) => {
    scanLog(line);
    options.logDestination?.write(line);
  };
  const app = await createApp(readEnvironment(settings), {
    ...options,
    logDestination: { write },
    onStatement: (sql) => {
      (inBackground.getStore() ? workerStatements : statements).push(sql);
      checkStatement(sql);
    },
  });
  return new Gateway(app, statements, workerStatements, cleanUp);
}

/** Starts a gateway that ends with the tests of the file. */
export async function ownGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const gateway = await startGateway(options);
  afterAll(() => gateway.close());
  return gateway;
}

/** Starts a gateway that ends with the running test. */
export async function gatewayForTest(options: GatewayOptions = {}): Promise<Gateway> {
  const gateway = await startGateway(options);
  onTestFinished(() => gateway.close());
  return gateway;
}

/** A fresh copy of a template: the settings that lead to it, and how to remove it. */
export async function freshData(
  seed: Seed,
): Promise<{ variables: Record<string, string>; cleanUp: () => Promise<void> }> {
  await requireResource(seed);
  const { server, directory: templates } = inject("resources");
  const template = directoryOf(templates, seed);
  // Below the templates, which are removed in the end together with forgotten
  // directories.
  const directory = await mkdtemp(path.join(templates, "data-"));
  const variables: Record<string, string> = { DATA_DIR: directory };
  // Tests only add pictures, so they may share the template's.
  if (seed === "demo") {
    await mkdir(path.join(directory, "objects"));
    for (const folder of ["alerts", "demo", "clips"])
      await symlink(path.join(template, "objects", folder), path.join(directory, "objects", folder));
    await cp(path.join(template, "demo-api-key"), path.join(directory, "demo-api-key"));
  }
  if (server) {
    const name = `copy_${randomUUID().slice(0, 8)}`;
    variables.DATABASE_URL = await createDatabase(server, name, seed);
    return {
      variables,
      cleanUp: async () => {
        await dropDatabase(server, name);
        await rm(directory, { recursive: true, force: true });
      },
    };
  }
  // Hundreds of small files, for which Node's own functions take many times as long.
  const run = promisify(execFile);
  await run("cp", ["-R", databaseOf(templates, seed), path.join(directory, "postgresql")]);
  return { variables, cleanUp: async () => void (await run("rm", ["-rf", directory])) };
}

/**
 * A fresh copy of a template that goes with the running test: the settings that lead to
 * it.
 */
export async function dataForTest(seed: Seed = "none"): Promise<Record<string, string>> {
  const { variables, cleanUp } = await freshData(seed);
  onTestFinished(cleanUp);
  return variables;
}

/** A mutation with its variables, which {@link run} and {@link refusal} send. */
export type Call = readonly [mutation: string, variables: object];

/** Runs a mutation that must succeed. */
export function run<Data = unknown>(
  gateway: Gateway,
  { as }: { as: Sender },
  [mutation, variables]: Call,
): Promise<Data> {
  return gateway.data<Data>(mutation, { as, variables });
}

/**
 * Runs a mutation that must be refused as a whole, and answers how: code and message, and
 * the paths of faulty arguments.
 */
export async function refusal(
  gateway: Gateway,
  { as }: { as: Sender },
  [mutation, variables]: Call,
): Promise<{ code: string; message: string; paths?: string[] }> {
  const answer = await gateway.graphql<unknown>(mutation, { as, variables });
  expect(answer.errors, JSON.stringify(answer.data)).toHaveLength(1);
  const [error] = answer.errors ?? [];
  const { code = "", details } = error?.extensions ?? {};
  return { code, message: error?.message ?? "", ...(details && { paths: details.map(({ path }) => path) }) };
}
