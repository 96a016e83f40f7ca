import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  getOperationAST,
  isInterfaceType,
  isLeafType,
  isObjectType,
  Kind,
  parse,
  print,
  specifiedRules,
  validate,
  visit,
} from "graphql";
import type { z } from "zod";
import { prepareOperation } from "../../src/api/graphql/admit.js";
import { OperationDocument } from "../../src/api/graphql/operation-document.js";
import { subgraphSchema } from "../../src/api/graphql/schema.js";
import { routeGroups } from "../../src/api/rest/routes.js";
import { signToken } from "../../src/engine/access/jwt.js";
import type { GatewayEvent } from "../../src/engine/events/gateway-event.js";
import {
  declaredColumns,
  isConnection,
  isPartOfConnection,
  readAheadOf,
  returnsLoaded,
} from "../../src/engine/reading/annotations.js";
import { toVariables } from "../../src/engine/route/input.js";
import type { RequestParts, Route } from "../../src/engine/route/route.js";
import type { PrismaClient } from "../../src/generated/prisma/client.js";
import { LogEntry } from "../../src/platform/telemetry/log-entry.js";
import { SeededRandom } from "../../src/programs/demo/seeded-random.js";
import type { App } from "../../src/programs/gateway/app.js";
import { type Execution, observeExecutions } from "../graphql/execution-observer.js";
import { completeDemo } from "../support/complete-demo.js";
import { testSecrets } from "../support/environment.js";
import { createApiKey } from "../support/factories.js";
import { type Answer, type Asked, answerOf, Difference, renamed } from "./compared-answer.js";
import { compareCall, drawCall } from "./compared-call.js";
import { demoWorld, type Place } from "./demo-world.js";
import { answerTimeoutMs } from "./fuzz-case.js";
import { DocumentGenerator, type DocumentStyle, type GeneratedOperation } from "./graphql-documents.js";
import { beginSession } from "./mcp-messages.js";
import { OneResultSocket } from "./one-result-socket.js";
import { byLevels, wasReadByLevels } from "./read-by-levels.js";
import { idFor, textFor, type World } from "./world.js";

/** A gateway in this process, with the parts for comparisons. */
export interface ComparedGateway {
  app: App;
  prisma: PrismaClient;
  /** The statements that were run for requests; emptied before each. */
  statements: string[];
  now: Date;
}

/** The number of compared cases per kind. */
const noCounts = {
  documents: 0,
  routes: 0,
  writes: 0,
  events: 0,
  /** Earlier events of objects that the caller does not see. */
  unseenEvents: 0,
  /** Calls of assistants' tools, and answers that go on where an earlier one ended. */
  calls: 0,
  furtherAnswers: 0,
  /** PostgreSQL wrote the answer from the first run on. */
  written: 0,
  /** PostgreSQL wrote a page of each row from the first run on. */
  writtenNestedPages: 0,
  withOtherVariables: 0,
  withErrors: 0,
  withRows: 0,
  withPagesFromTheEnd: 0,
  withInterfaces: 0,
  withDirectives: 0,
  withNull: 0,
  withOmittedVariables: 0,
  withSeveralOperations: 0,
  /**
   * The number of statements of the first runs, and of the same documents level by level.
   */
  statements: 0,
  statementsByLevel: 0,
};

/** The schema of the gateway, which is a subgraph. */
const schema = subgraphSchema();
const limits = { cost: 1_000, pageSize: 1_000 };
/**
 * Who runs a document, by their number: the plan that the first run makes serves all
 * others, of other callers and of the first.
 */
const runs = [0, 1, 2, 3, 0];
/** The number of runs of each mutation. */
const writes = 2;
/**
 * The maximum number of consecutive refused documents. Beyond it, the generator is at
 * fault.
 */
const maxDraws = 500;

interface Caller {
  name: string;
  authorization: string;
}

const queryType = schema.getQueryType() as GraphQLObjectType;

/** Whether PostgreSQL may write a field, as far as the field alone shows. */
function mayBeWritten(parent: GraphQLObjectType, field: GraphQLField<unknown, unknown>): boolean {
  if (parent === queryType) return returnsLoaded(field) && isObjectType(getNamedType(field.type));
  if (isConnection(parent)) return field.name === "nodes";
  if (isPartOfConnection(parent)) return false;
  if (!field.resolve) return true;
  if (readAheadOf(field))
    return !(
      String(field.type).endsWith("!") &&
      !String(field.type).includes("[") &&
      !isConnection(getNamedType(field.type))
    );
  return (
    declaredColumns(field) !== undefined && field.args.length === 0 && !isObjectType(getNamedType(field.type))
  );
}

/**
 * Whether a field selects a page, the items of a page, or one of a few leaves. Among all
 * leaves, pages would hardly be drawn.
 */
function isPageOrSomeLeaf(parent: GraphQLObjectType, field: GraphQLField<unknown, unknown>): boolean {
  if (parent === queryType || isConnection(parent)) return true;
  const type = getNamedType(field.type);
  return isConnection(type) || (isLeafType(type) && /^(?:id|name|type|text|.*At)$/.test(field.name));
}

function styleOf(random: SeededRandom): DocumentStyle {
  const isPlain = random.chance(0.8);
  const isWritten = isPlain && random.chance(0.6);
  const isPaged = random.chance(0.6);
  return {
    breaks: false,
    maxFields: random.integer(4, 26),
    // A page in a page takes five levels.
    maxDepth: random.integer(isWritten && isPaged ? 5 : 2, 6),
    maxPage: 4,
    directives: isPlain ? 0 : 0.1,
    aliases: 0.3,
    isPlain,
    others: 0.08,
    isSuitable: isWritten
      ? (parent, field) => mayBeWritten(parent, field) && (!isPaged || isPageOrSomeLeaf(parent, field))
      : () => true,
  };
}

/** Whether an operation is valid and within all limits, also when read level by level. */
function isAdmitted(asked: Asked): boolean {
  return [asked, byLevels(asked)].every(({ query, variables, operationName }) => {
    const document = parse(query);
    if (validate(schema, document, specifiedRules, { maxErrors: 1 }).length > 0) return false;
    try {
      prepareOperation(
        {
          document: new OperationDocument(schema, document),
          variables: JSON.parse(JSON.stringify(variables)),
          operationName,
        },
        limits,
        new LogEntry("127.0.0.1"),
      );
      return true;
    } catch {
      return false;
    }
  });
}

/** GET routes whose operation is a query with an answer in JSON. */
const routes = routeGroups
  .flatMap((group) => group.routes)
  .filter(
    ({ method, download, operation }) =>
      method === "get" && !download && getOperationAST(operation)?.operation === "query",
  );

/** An operation whose field is an object that a query finds by its id. */
const ofObject = (field: string) => ({
  path: [field],
  selects: (selection: string) => `{ ${field} ${selection} }`,
  answers: (text: string) => `{"data":{"${field}":${text}}}`,
});

/** A subscription that delivers an object which a query finds by its id. */
interface ComparedSubscription extends Pick<GatewayEvent, "topic" | "change">, ReturnType<typeof ofObject> {
  query: string;
  type: string;
  /** The name for the ids of such objects in the world. */
  ids: string;
}

const subscriptions: readonly ComparedSubscription[] = [
  { query: "alert", topic: "alertRaised", type: "Alert", ids: "alertId", ...ofObject("alertRaised") },
  {
    query: "alert",
    topic: "alertChanged",
    change: "MARKED",
    type: "Alert",
    ids: "alertId",
    path: ["alertChanged", "alert"],
    selects: (selection: string) => `{ alertChanged { kind alert ${selection} } }`,
    answers: (text: string) => `{"data":{"alertChanged":{"kind":"MARKED","alert":${text}}}}`,
  },
  {
    query: "camera",
    topic: "cameraStatusChanged",
    type: "Camera",
    ids: "cameraId",
    ...ofObject("cameraStatusChanged"),
  },
  {
    query: "facility",
    topic: "facilityHeartbeat",
    type: "Facility",
    ids: "facilityId",
    ...ofObject("facilityHeartbeat"),
  },
];

/** Mutations that return the changed object, with their input. */
const mutations = [
  {
    query: "alert",
    mutation: "setAlertBookmark",
    type: "Alert",
    ids: "alertId",
    values: ["bookmark: true", "bookmark: false"],
  },
  {
    query: "alert",
    mutation: "setAlertFalsePositive",
    type: "Alert",
    ids: "alertId",
    values: ["falsePositive: true", "falsePositive: false"],
  },
  {
    query: "camera",
    mutation: "updateCamera",
    type: "Camera",
    ids: "cameraId",
    values: ['input: { name: "Gate ş" }', 'input: { name: "Dock" }'],
  },
  {
    query: "facility",
    mutation: "renameFacility",
    type: "Facility",
    ids: "facilityId",
    values: ['name: "Works"', 'name: "Yard 鎌"'],
  },
] as const;

interface Edges {
  edges: { cursor: string }[];
}

/** The result of the query for cursors. */
interface FoundCursors {
  alerts: Edges;
  searchCameras: Edges;
  auditLog: Edges;
  workspace: { deliveries: Edges };
  camera: { statusHistory: Edges; streamRequests: Edges; alerts: { nodes: [{ comments: Edges }] } };
}

/**
 * Compares generated documents, run by graphql-js level by level, with all other ways of
 * running them.
 */
export class Differential {
  readonly counts = { ...noCounts };
  readonly #callers: Caller[];
  readonly #executions: Execution[];
  readonly #sockets = new Map<string, OneResultSocket>();
  /** The sessions of assistants by their callers. */
  readonly #assistants = new Map<string, string>();

  private constructor(
    private readonly gateway: ComparedGateway,
    private readonly seed: number,
    private readonly world: World,
    private readonly places: ReadonlyMap<string, Place>,
    callers: Caller[],
  ) {
    this.#callers = callers;
    this.#executions = observeExecutions(schema);
  }

  static async prepare(gateway: ComparedGateway, seed: number): Promise<Differential> {
    const { prisma, now, app } = gateway;
    await completeDemo(prisma, now);
    const { id: facilityId, workspaceId } = await prisma.facility.findFirstOrThrow({
      where: { timeZoneId: "Asia/Kathmandu" },
    });
    const tokens = ["demo|admin", "demo|viewer", "demo|site"].map(async (name) => {
      const token = await signToken(testSecrets.AUTH_JWT_SECRET, name, 12 * 3600, now);
      return { name, authorization: `Bearer ${token}` };
    });
    const key = await createApiKey(prisma, {
      workspaceId,
      permissions: ["facilities:read", "alerts:read", "cameras:read"],
      facilityIds: [facilityId],
    });
    const callers = [
      ...(await Promise.all(tokens)),
      { name: "a key of one facility", authorization: key.authorization },
    ];
    const { world, places } = await demoWorld(prisma, workspaceId, now);
    const differential = new Differential(gateway, seed, world, places, callers);
    // The first use of a key is recorded.
    for (const caller of callers)
      await differential.#ask(caller, { query: "{ workspace { name } }", variables: {} });
    await app.idle();
    await differential.#findCursors(callers[0] as Caller);
    return differential;
  }

  close(): void {
    for (const socket of this.#sockets.values()) socket.close();
  }

  /** Compares the case with a number. Returns the difference as a text, or undefined. */
  async compare(number: number): Promise<string | undefined> {
    const random = new SeededRandom(this.seed * 1_000_003 + number);
    try {
      await random.weighted([
        [() => this.#compareDocument(random), 86],
        [() => this.#compareRoute(random), 6],
        [() => this.#compareWrite(random), 3],
        [() => this.#compareEvents(random), 5],
        [() => this.#compareCall(random), 12],
      ])();
      return undefined;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const database = this.gateway.app.database.embedded ? "" : "DATABASE_URL=<a migrated, empty database> ";
      const repeat = `${database}npm run fuzz -- --differential 1 --seed ${this.seed} --only ${number}`;
      return `Case ${number}, again by \`${repeat}\`: ${error instanceof Difference ? error.message : error.stack}`;
    }
  }

  async #compareDocument(random: SeededRandom): Promise<void> {
    const drawn = this.#draw(random, (generator) => generator.operation(queryType, "query"));
    const callers = random.shuffled(this.#callers);
    const expected = new Map<Caller, Answer>();
    for (const caller of callers) expected.set(caller, await this.#askByLevels(caller, drawn));
    let last: Answer | undefined;
    for (const [run, number] of runs.entries()) {
      const caller = callers[number] as Caller;
      last = await this.#ask(caller, drawn);
      assertEqual(`Run ${run + 1} by ${caller.name} differs`, drawn, expected.get(caller) as Answer, last);
      if (run < callers.length) this.#countStatements(expected.get(caller) as Answer, last);
    }
    this.#count(drawn, [...expected.values()], last as Answer);
    const again = { ...drawn, variables: drawn.redraw() };
    if (Object.keys(drawn.variables).length === 0 || !isAdmitted(again)) return;
    const caller = random.pick(callers);
    const expectedAgain = await this.#askByLevels(caller, again);
    assertEqual(
      `The run by ${caller.name} with other variables differs`,
      again,
      expectedAgain,
      await this.#ask(caller, again),
    );
    this.counts.withOtherVariables += 1;
  }

  async #compareRoute(random: SeededRandom): Promise<void> {
    const route = random.pick(routes);
    const caller = random.pick(this.#callers);
    const { target, input } = this.#drawRequest(route, random);
    const asked = { query: print(route.operation), variables: toVariables(route, input) };
    const read = await this.#askByLevels(caller, asked);
    const code = codeOf(read);
    const isForbidden = route.facilityParameter !== undefined && !(await this.#holds(caller, route, input));
    const body = code ? { code } : bodyOf(route, read.parsed?.data ?? null, input, isForbidden);
    const expected = { ...read, text: JSON.stringify(body) };
    for (const run of ["Once", "Again"]) {
      const answer = await this.#fetch(target, { headers: { authorization: caller.authorization } });
      // A route's errors have their own bodies.
      const { code: received } = (answer.parsed ?? {}) as { code?: string };
      const text = answer.parsed
        ? JSON.stringify(received ? { code: received } : answer.parsed)
        : answer.text;
      assertEqual(`${run}, GET ${target} by ${caller.name} differs`, asked, expected, { ...answer, text });
    }
    this.counts.routes += 1;
  }

  async #compareCall(random: SeededRandom): Promise<void> {
    const caller = random.pick(this.#callers);
    const answers = await compareCall(drawCall(random, this.world), {
      now: this.gateway.now,
      who: caller.name,
      ask: (asked) => this.#askByLevels(caller, asked),
      call: async (message) =>
        this.#fetch("/mcp", {
          method: "POST",
          headers: await this.#headersOfAssistant(caller),
          body: JSON.stringify(message),
        }),
    });
    this.counts.calls += 1;
    this.counts.furtherAnswers += answers - 1;
  }

  async #headersOfAssistant({ authorization }: Caller): Promise<Record<string, string>> {
    const headers = { "content-type": "application/json", authorization };
    const session =
      this.#assistants.get(authorization) ?? (await beginSession(this.gateway.app.url, headers)) ?? "";
    this.#assistants.set(authorization, session);
    return { ...headers, "mcp-session-id": session };
  }

  /** Compares the answer of a mutation with reading the same object afterwards. */
  async #compareWrite(random: SeededRandom): Promise<void> {
    const each = random.pick(mutations);
    const [admin] = this.#callers as [Caller, ...Caller[]];
    const caller = random.pick(this.#callers);
    const values = random.shuffled(each.values);
    const { path, answers } = ofObject(each.mutation);
    const { drawn, others } = this.#drawSelection(random, each, (selection) =>
      values.map((given) => ["mutation", `{ ${each.mutation}(id: $id, ${given}) ${selection} }`]),
    );
    // Who may not write all of it leaves it to an admin.
    const writer = codeOf(await this.#ask(caller, others[0] as Asked)) ? admin : caller;
    for (const { query, variables } of Array<Asked[]>(writes).fill(others).flat()) {
      const written = await this.#ask(writer, { query, variables });
      const expected = renamed(await this.#askByLevels(writer, drawn), each.query, path, answers);
      assertEqual(
        `The answer of a mutation by ${writer.name} differs`,
        { query, variables },
        expected,
        written,
      );
    }
    this.counts.writes += 1;
  }

  async #compareEvents(random: SeededRandom): Promise<void> {
    const each = random.pick(subscriptions);
    const caller = random.pick(this.#callers);
    const { drawn, others } = this.#drawSelection(random, each, (selection) => [
      ["subscription", each.selects(selection)],
    ]);
    const [{ query, variables }] = others as [Asked];
    const { seen, unseen } = await this.#sightOf(caller, each, random);
    if (seen === undefined) return;
    const answer = await this.#askByLevels(caller, { ...drawn, variables: { ...drawn.variables, id: seen } });
    const expected = renamed(answer, each.query, each.path, each.answers);
    const socket = await this.#socketOf(caller);
    try {
      const next = await socket.subscribe({ query, variables });
      for (let run = 1; run <= 5; run += 1) {
        this.#clear();
        // Who does not see the object is sent nothing: the next event is that of the
        // other one.
        if (unseen !== undefined) await this.#publish(each, unseen);
        await this.#publish(each, seen);
        const text = await next().catch(String);
        assertEqual(
          `Event ${run} for ${caller.name} differs`,
          { query, variables },
          expected,
          this.#answer(text),
        );
      }
      await socket.complete();
    } catch (error) {
      // Its subscription may be open still, and would be counted with the next one.
      this.#sockets.delete(caller.authorization);
      socket.close();
      throw error;
    }
    this.counts.events += 1;
    if (unseen !== undefined) this.counts.unseenEvents += 1;
  }

  /** An object that a caller sees, and one that the caller does not see. */
  async #sightOf(
    caller: Caller,
    { query, ids }: { query: string; ids: string },
    random: SeededRandom,
  ): Promise<{ seen?: string; unseen?: string }> {
    const found: { seen?: string; unseen?: string } = {};
    for (const id of random.shuffled(this.world.ids[ids] as readonly string[]).slice(0, 12)) {
      const { parsed } = await this.#ask(caller, {
        query: `query ($id: UUID!) { ${query}(id: $id) { id } }`,
        variables: { id },
      });
      found[parsed?.data?.[query] ? "seen" : "unseen"] ??= id;
      if (found.seen && found.unseen) break;
    }
    return found;
  }

  /**
   * Like a write, which sends its events in its transaction if the database transports
   * them.
   */
  async #publish({ topic, change }: ComparedSubscription, id: string): Promise<void> {
    const { app, prisma } = this.gateway;
    const event: GatewayEvent = {
      topic,
      ids: [id],
      ...(this.places.get(id) as Place),
      ...(change && { change }),
    };
    const publication = app.events.publication([event]);
    if (publication) await prisma.$queryRaw(publication);
    await app.events.publish([event]);
  }

  async #socketOf({ authorization }: Caller): Promise<OneResultSocket> {
    const socket =
      this.#sockets.get(authorization) ?? (await OneResultSocket.open(this.gateway.app.url, authorization));
    this.#sockets.set(authorization, socket);
    return socket;
  }

  /** Draws until an operation is valid and within the limits. */
  #draw(
    random: SeededRandom,
    draw: (generator: DocumentGenerator) => GeneratedOperation,
  ): GeneratedOperation {
    for (let draws = 0; draws < maxDraws; draws += 1) {
      const drawn = draw(new DocumentGenerator(random, this.world, schema, styleOf(random)));
      if (isAdmitted(drawn)) return drawn;
    }
    throw new Error(`No valid document in ${maxDraws}`);
  }

  /**
   * Draws a selection of an object: the query of it, and other operations with the same
   * selection.
   */
  #drawSelection(
    random: SeededRandom,
    { query, type, ids }: { query: string; type: string; ids: string },
    operations: (selection: string) => (readonly [kind: string, selection: string])[],
  ): { drawn: GeneratedOperation; others: Asked[] } {
    const id = random.pick(this.world.ids[ids] as readonly string[]);
    let others: Asked[] = [];
    const drawn = this.#draw(random, (generator) => {
      const [first, ...rest] = generator.operationsOn(
        schema.getType(type) as GraphQLObjectType,
        (selection) => [["query", `{ ${query}(id: $id) ${selection} }`], ...operations(selection)],
      );
      others = rest.map(({ query, variables }) => ({
        query,
        variables: query.includes("$id: UUID!") ? { ...variables, id } : variables,
      }));
      return { ...(first as GeneratedOperation), variables: { ...first?.variables, id } };
    });
    return { drawn, others };
  }

  /** The path and the query of a request, and the valid part of its input. */
  #drawRequest(route: Route, random: SeededRandom): { target: string; input: RequestParts } {
    const names = Object.keys(route.input.path?.shape ?? {});
    const path = Object.fromEntries(names.map((name) => [name, this.#idFor(name, random)]));
    const target = route.path.replace(/:(\w+)/g, (_all, name: string) => path[name] as string);
    for (let draws = 0; draws < maxDraws; draws += 1) {
      const query = this.#drawQuery(route.input.query?.shape ?? {}, random);
      const valid = route.input.query ? route.input.query.safeParse(query) : { success: true, data: {} };
      const parameters = new URLSearchParams(
        Object.entries(query).map(([name, value]) => [name, String(value)]),
      );
      if (valid.success)
        return { target: `${target}?${parameters}`, input: { path, query: valid.data ?? {}, body: {} } };
    }
    throw new Error(`No valid request of ${route.path} in ${maxDraws}`);
  }

  /** Values for query parameters. Lists get lists. */
  #drawQuery(shape: z.ZodObject["shape"], random: SeededRandom): Record<string, string | string[]> {
    const isRequired = (name: string) => !shape[name]?.safeParse(undefined).success;
    const taken = Object.keys(shape).filter((name) => isRequired(name) || random.chance(0.35));
    const drawn = taken.map((name) => {
      const value = this.#parameterFor(name, random);
      return [name, shape[name]?.safeParse([value]).success ? [value] : value] as const;
    });
    return Object.fromEntries(drawn);
  }

  #idFor = (name: string, random: SeededRandom) => idFor(name, random, this.world);

  #parameterFor(name: string, random: SeededRandom): string {
    const day = 86_400_000;
    if (name === "start") return String(random.pick([0, this.gateway.now.getTime() - 30 * day]));
    if (name === "end") return String(this.gateway.now.getTime() + random.pick([0, 1, -3]) * day);
    if (/Id$/.test(name)) return this.#idFor(name, random);
    if (name === "page") return String(random.integer(1, 3));
    if (name === "count") return String(random.integer(1, 12));
    if (name === "bookmark") return String(random.chance(0.5));
    return textFor(name === "alertType" ? "type" : name, random);
  }

  /** Whether a caller holds the permission of a route at the facility in its path. */
  async #holds(
    caller: Caller,
    { permission, facilityParameter }: Route,
    input: RequestParts,
  ): Promise<boolean> {
    const variables = { id: input.path[facilityParameter as string] };
    const { parsed } = await this.#ask(caller, {
      query: "query ($id: UUID!) { facility(id: $id) { viewerPermissions } }",
      variables,
    });
    const facility = parsed?.data?.facility as { viewerPermissions: string[] } | null;
    return facility?.viewerPermissions.includes(permission as string) ?? true;
  }

  async #findCursors(admin: Caller): Promise<void> {
    const query = `query ($filter: AlertFilter!, $id: UUID!) {
      alerts(filter: $filter, first: 30) { edges { cursor } } searchCameras { edges { cursor } } auditLog { edges { cursor } }
      workspace { deliveries { edges { cursor } } }
      camera(id: $id) { statusHistory { edges { cursor } } streamRequests { edges { cursor } } alerts(first: 1) { nodes { comments { edges { cursor } } } } }
    }`;
    const id = this.world.ids.cameraId?.[0];
    const filter = { start: new Date(0), end: new Date("2100-01-01T00:00:00Z") };
    const { parsed } = await this.#ask(admin, { query, variables: { filter, id } });
    const of = (connection: Edges) => connection.edges.map(({ cursor }) => cursor);
    const { camera, alerts, searchCameras, auditLog, workspace } = (
      parsed as unknown as { data: FoundCursors }
    ).data;
    this.world.cursors = {
      alerts: of(alerts),
      searchCameras: of(searchCameras),
      auditLog: of(auditLog),
      deliveries: of(workspace.deliveries),
      statusHistory: of(camera.statusHistory),
      streamRequests: of(camera.streamRequests),
      comments: of(camera.alerts.nodes[0].comments),
    };
  }

  /** The answer of graphql-js, which has read level by level. */
  async #askByLevels(caller: Caller, asked: Asked): Promise<Answer> {
    const asRead = byLevels(asked);
    const answer = await this.#ask(caller, asRead);
    // The same failure of both ways would be no difference.
    if (!answer.parsed || isFailure(codeOf(answer)))
      throw new Error(`graphql-js has not run ${asRead.query}: ${answer.text}`);
    if (!wasReadByLevels(answer))
      throw new Error(`Not only graphql-js has run ${asRead.query}: ${answer.executions}\n${answer.text}`);
    return answer;
  }

  #ask({ authorization }: Caller, { query, variables, operationName }: Asked): Promise<Answer> {
    const headers = { "content-type": "application/json", authorization };
    return this.#fetch("/graphql", {
      method: "POST",
      headers,
      body: JSON.stringify({ query, variables, operationName }),
    });
  }

  /** The answer to a request, or the reason for its absence. */
  async #fetch(target: string, request: RequestInit): Promise<Answer> {
    this.#clear();
    const signal = AbortSignal.timeout(answerTimeoutMs);
    const text = await fetch(new URL(target, this.gateway.app.url), { ...request, signal }).then(
      (response) => response.text(),
      String,
    );
    return this.#answer(text);
  }

  #clear(): void {
    this.gateway.statements.length = 0;
    this.#executions.length = 0;
  }

  #answer(text: string): Answer {
    return answerOf(text, this.gateway.statements, this.#executions);
  }

  #count(drawn: GeneratedOperation, expected: readonly Answer[], last: Answer): void {
    const { counts } = this;
    counts.documents += 1;
    if (last.executions.length > 0 && last.executions.every((each) => each === "written")) {
      counts.written += 1;
      // A limit is part of the text.
      if (last.statements.some((statement) => /LIMIT \d+\) AS "level[2-9]\$/.test(statement)))
        counts.writtenNestedPages += 1;
    }
    if (expected.some(({ parsed }) => parsed?.errors)) counts.withErrors += 1;
    if (expected.some(({ text }) => /[[:]\{"[^{}]*\}/.test(text.replace(/^\{"data":/, ""))))
      counts.withRows += 1;
    for (const what of featuresOf(drawn)) counts[what] += 1;
  }

  #countStatements(expected: Answer, actual: Answer): void {
    this.counts.statements += actual.statements.length;
    this.counts.statementsByLevel += expected.statements.length;
  }
}

function assertEqual(what: string, asked: Asked, expected: Answer, actual: Answer): void {
  if (expected.text !== actual.text) throw new Difference(what, asked, expected, actual);
}

/** The code of the first error. */
const codeOf = ({ parsed }: Answer) => parsed?.errors?.[0]?.extensions.code;

const isFailure = (code: string | undefined) => code === "INTERNAL" || code === "UNAVAILABLE";

type Feature =
  | "withPagesFromTheEnd"
  | "withInterfaces"
  | "withDirectives"
  | "withNull"
  | "withOmittedVariables"
  | "withSeveralOperations";

/** Features of an operation that not every operation has. */
function featuresOf({ query, variables }: GeneratedOperation): Set<Feature> {
  const features = new Set<Feature>();
  const defined = new Set<string>();
  const document = parse(query);
  visit(document, {
    VariableDefinition: ({ variable }) => void defined.add(variable.name.value),
    Argument: ({ name }) =>
      void (/^(?:last|before)$/.test(name.value) && features.add("withPagesFromTheEnd")),
    NamedType: ({ name }) =>
      void (isInterfaceType(schema.getType(name.value)) && features.add("withInterfaces")),
    Directive: () => void features.add("withDirectives"),
    NullValue: () => void features.add("withNull"),
  });
  if (document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).length > 1)
    features.add("withSeveralOperations");
  if (Object.values(variables).includes(null)) features.add("withNull");
  if ([...defined].some((name) => variables[name] === undefined)) features.add("withOmittedVariables");
  return features;
}

/** The body that a route answers with, by the interface specification. */
function bodyOf(
  { response }: Route,
  data: Record<string, unknown> | null,
  { query }: RequestParts,
  isForbidden: boolean,
): object {
  let value: unknown = data;
  for (const [depth, name] of response.from.entries()) {
    value = (value as Record<string, unknown>)[name];
    if (value === null && !(response.nullable && depth === response.from.length - 1))
      return { code: "NOT_FOUND" };
  }
  if (isForbidden) return { code: "FORBIDDEN" };
  const inRestCase = JSON.parse(JSON.stringify(value), (key, each) =>
    (key === "streamType" || key === "streamProtocol") && typeof each === "string"
      ? each.toLowerCase()
      : each,
  );
  if (response.envelope === "bare") return inRestCase;
  if (response.envelope === "single") return { status: "ok", data: [inRestCase] };
  if (response.envelope === "data") return { status: "ok", data: inRestCase };
  if (response.envelope !== "page") throw new Error(`No read has the envelope ${response.envelope}`);
  return {
    status: "ok",
    data: { page: query.page, count: query.count, total: inRestCase.totalCount, alerts: inRestCase.nodes },
  };
}
