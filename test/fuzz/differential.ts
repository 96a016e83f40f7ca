import {
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  getOperationAST,
  isLeafType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  specifiedRules,
  type VariableDefinitionNode,
  validate,
  visit,
} from "graphql";
import type { z } from "zod";
import { signToken } from "../../src/access/jwt.js";
import type { App } from "../../src/app.js";
import { SeededRandom } from "../../src/demo/seeded-random.js";
import type { GatewayEvent } from "../../src/events/gateway-event.js";
import type { PrismaClient } from "../../src/generated/prisma/client.js";
import { compilableSelections } from "../../src/graphql/compilable.js";
import { prepareOperation } from "../../src/graphql/prepare.js";
import { schema } from "../../src/graphql/schema.js";
import { toVariables } from "../../src/http/input.js";
import type { RequestParts, Route } from "../../src/http/route.js";
import { encodeNodeId } from "../../src/node/node-id.js";
import { LogEntry } from "../../src/platform/log-entry.js";
import { declaredColumns, isConnection, isPartOfConnection, readAheadOf, returnsLoaded } from "../../src/reading/annotations.js";
import { routeGroups } from "../../src/rest/routes.js";
import { type Execution, observeExecutions } from "../graphql/execution-observer.js";
import { completeDemo, completeId } from "../support/complete-demo.js";
import { testSecrets } from "../support/environment.js";
import { createApiKey } from "../support/factories.js";
import { DocumentGenerator, type DocumentStyle, type GeneratedOperation } from "./graphql-documents.js";
import { OneResultSocket } from "./one-result-socket.js";
import { idFor, textFor, type World } from "./world.js";

/** What a gateway in this process is compared by. */
export interface ComparedGateway {
  app: App;
  prisma: PrismaClient;
  /** The statements that were run for requests; emptied before each. */
  statements: string[];
  now: Date;
}

/** How many of the compared cases were what. */
export const noCounts = {
  documents: 0,
  routes: 0,
  events: 0,
  /** PostgreSQL wrote the answer from the first run on. */
  written: 0,
  /** The tenth run was that of a compiled operation. */
  compiled: 0,
  withOtherVariables: 0,
  withErrors: 0,
  withRows: 0,
  /** How many statements the first runs took, and how many the same documents took level by level. */
  statements: 0,
  statementsByLevel: 0,
};

const limits = { cost: 1_000, pageSize: 1_000 };
const runs = 10;
/** Drawing stops, as a fault of the generator, if so many documents one after the other are refused. */
const maxDraws = 500;

interface Caller {
  name: string;
  authorization: string;
}

/** What was asked for. */
interface Asked {
  query: string;
  variables: Record<string, unknown>;
  operationName?: string | undefined;
}

/** Where an event happens. */
type Place = Pick<GatewayEvent, "workspaceId" | "facilityId" | "cameraId">;

/** An answer as it is compared, and how it came about. */
interface Answer {
  text: string;
  /** The code of the first error. */
  code?: string | undefined;
  statements: string[];
  executions: Execution[];
}

/** A difference, with everything that is needed to understand it. */
class Difference extends Error {
  constructor(what: string, { query, variables, operationName }: Asked, expected: Answer, actual: Answer) {
    const asked = [query, JSON.stringify(variables), ...(operationName === undefined ? [] : [`operationName: ${operationName}`])];
    super([what, ...asked, ...described("graphql-js", expected, actual), ...described("The other", actual, expected)].join("\n"));
  }
}

function described(who: string, { text, statements, executions }: Answer, { text: other }: Answer): string[] {
  const end = [...text].findIndex((character, index) => character !== other[index]);
  const start = Math.max(0, end - 60);
  return [
    `${who} (${executions.join(", ")}), from character ${start} on: ${text.slice(start, start + 300)}`,
    `  all of it: ${text}`,
    ...statements.map((each) => `  ${each}`),
  ];
}

const alwaysDirective: ConstDirectiveNode = {
  ...(parse("{ a @include(if: $always) }").definitions[0] as OperationDefinitionNode).selectionSet.selections[0]?.directives?.[0],
} as ConstDirectiveNode;
const alwaysDefinition = (parse("query ($always: Boolean!) { a }").definitions[0] as OperationDefinitionNode)
  .variableDefinitions?.[0] as VariableDefinitionNode;

/**
 * The same document with a condition, which always holds, on every field that has a selection: nothing is read ahead of what might be left
 * out, and nothing with a directive is compiled or written by PostgreSQL.
 */
export function byLevels({ query, variables, ...others }: Asked): Asked {
  const document = visit(parse(query), {
    OperationDefinition: {
      enter: (node) => {
        const [first, ...rest] = node.selectionSet.selections;
        const always = first?.kind === Kind.FIELD && !first.selectionSet ? withCondition(first) : first;
        return {
          ...node,
          variableDefinitions: [...(node.variableDefinitions ?? []), alwaysDefinition],
          selectionSet: { ...node.selectionSet, selections: [always, ...rest] },
        };
      },
    },
    Field: { leave: (node) => (node.selectionSet ? withCondition(node) : undefined) },
  }) as DocumentNode;
  return { query: print(document), variables: { ...variables, always: true }, ...others };
}

const withCondition = (node: FieldNode): FieldNode => ({ ...node, directives: [...(node.directives ?? []), alwaysDirective] });

const queryType = schema.getQueryType() as GraphQLObjectType;

/** Whether PostgreSQL may write a field, as far as that can be told without the rest of the document. */
function mayBeWritten(parent: GraphQLObjectType, field: GraphQLField<unknown, unknown>): boolean {
  if (parent === queryType) return returnsLoaded(field) && isObjectType(getNamedType(field.type));
  if (isConnection(parent)) return field.name === "nodes";
  if (isPartOfConnection(parent)) return false;
  if (!field.resolve) return true;
  if (readAheadOf(field)) return !(String(field.type).endsWith("!") && !String(field.type).includes("[") && !isConnection(getNamedType(field.type)));
  return declaredColumns(field) !== undefined && field.args.length === 0 && !isObjectType(getNamedType(field.type));
}

/** Whether what a field selects is a leaf, a page, or the items of one. */
function isLeafOrPage(parent: GraphQLObjectType, { type }: GraphQLField<unknown, unknown>): boolean {
  const named = getNamedType(type);
  return isConnection(parent) || isConnection(named) || (parent !== queryType && isLeafType(named));
}

function styleOf(random: SeededRandom): DocumentStyle {
  const isPlain = random.chance(0.8);
  const isWritten = isPlain && random.chance(0.6);
  const isPaged = random.chance(0.6);
  return {
    breaks: false,
    maxFields: random.integer(4, 26),
    maxDepth: random.integer(2, 6),
    maxPage: 4,
    directives: isPlain ? 0 : 0.1,
    aliases: 0.3,
    isPlain,
    others: 0.08,
    isSuitable: isWritten ? (parent, field) => mayBeWritten(parent, field) && (!isPaged || isLeafOrPage(parent, field)) : () => true,
  };
}

/** Whether an operation is valid and within all limits, also as it is read level by level. */
function isAdmitted(asked: Asked): boolean {
  return [asked, byLevels(asked)].every(({ query, variables, operationName }) => {
    const document = parse(query);
    if (validate(schema, document, specifiedRules, { maxErrors: 1 }).length > 0) return false;
    try {
      prepareOperation(schema, { document, variables: JSON.parse(JSON.stringify(variables)), operationName }, limits, new LogEntry("127.0.0.1"));
      return true;
    } catch {
      return false;
    }
  });
}

/** GET routes whose operation is a query with an answer in JSON. */
const routes = routeGroups
  .flatMap((group) => group.routes)
  .filter(({ method, download, operation }) => method === "get" && !download && getOperationAST(operation)?.operation === "query");

/** The subscriptions that deliver an object which a query finds by its id. */
const subscriptions = [
  { query: "alert", subscription: "alertRaised", type: "Alert", ids: "alertId" },
  { query: "camera", subscription: "cameraStatusChanged", type: "Camera", ids: "cameraId" },
  { query: "facility", subscription: "facilityHeartbeat", type: "Facility", ids: "facilityId" },
] as const;

/** Compares generated documents as they are run by graphql-js, level by level, with every other way in which they are run. */
export class Differential {
  readonly counts = { ...noCounts };
  readonly #callers: Caller[];
  readonly #executions: Execution[];
  readonly #sockets = new Map<string, OneResultSocket>();

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
    const { id: facilityId, workspaceId } = await prisma.facility.findFirstOrThrow({ where: { timeZoneId: "Asia/Kathmandu" } });
    const tokens = ["demo|admin", "demo|viewer", "demo|site"].map(async (name) => {
      const token = await signToken(testSecrets.AUTH_JWT_SECRET, name, 12 * 3600, new Date());
      return { name, authorization: `Bearer ${token}` };
    });
    const key = await createApiKey(prisma, {
      workspaceId,
      permissions: ["facilities:read", "alerts:read", "cameras:read"],
      facilityIds: [facilityId],
    });
    const callers = [...(await Promise.all(tokens)), { name: "a key of one facility", authorization: key.authorization }];
    const { world, places } = await worldIn(prisma, workspaceId);
    const differential = new Differential(gateway, seed, world, places, callers);
    // The first use of a key is recorded.
    for (const caller of callers) await differential.#ask(caller, { query: "{ workspace { name } }", variables: {} });
    await app.idle();
    await differential.#findCursors(callers[0] as Caller);
    return differential;
  }

  close(): void {
    for (const socket of this.#sockets.values()) socket.close();
  }

  /** Compares the case of a number; what differs, as a text, or undefined. */
  async compare(number: number): Promise<string | undefined> {
    const random = new SeededRandom(this.seed * 1_000_003 + number);
    try {
      await random.weighted([
        [() => this.#compareDocument(random), 80],
        [() => this.#compareRoute(random), 10],
        [() => this.#compareEvents(random), 10],
      ])();
      return undefined;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const repeat = `npm run fuzz -- --differential 1 --seed ${this.seed} --only ${number}`;
      return `Case ${number}, again by \`${repeat}\`: ${error instanceof Difference ? error.message : error.stack}`;
    }
  }

  async #compareDocument(random: SeededRandom): Promise<void> {
    const drawn = this.#draw(random, (generator) => generator.operation(queryType, "query"));
    const callers = random.shuffled(this.#callers).slice(0, 2);
    const expected = new Map<Caller, Answer>();
    for (const caller of callers) expected.set(caller, await this.#askByLevels(caller, drawn));
    let last: Answer | undefined;
    for (let run = 1; run <= runs; run += 1) {
      const caller = callers[(run - 1) % callers.length] as Caller;
      const actual = await this.#ask(caller, drawn);
      this.#assertEqual(`Run ${run} by ${caller.name} differs`, drawn, expected.get(caller) as Answer, actual);
      if (run <= callers.length) this.#countStatements(expected.get(caller) as Answer, actual);
      last = actual;
    }
    this.#count([...expected.values()], last as Answer);
    const again = { ...drawn, variables: drawn.redraw() };
    if (Object.keys(drawn.variables).length === 0 || !isAdmitted(again)) return;
    const caller = random.pick(callers);
    const expectedAgain = await this.#askByLevels(caller, again);
    this.#assertEqual(`The run by ${caller.name} with other variables differs`, again, expectedAgain, await this.#ask(caller, again));
    this.counts.withOtherVariables += 1;
  }

  async #compareRoute(random: SeededRandom): Promise<void> {
    const route = random.pick(routes);
    const caller = random.pick(this.#callers);
    const { target, input } = this.#drawRequest(route, random);
    const asked = { query: print(route.operation), variables: toVariables(route, input) };
    const expected = await this.#askByLevels(caller, asked);
    const { code } = expected;
    const isForbidden = route.facilityParameter !== undefined && !(await this.#holds(caller, route, input));
    const body = code ? { code } : bodyOf(route, JSON.parse(expected.text).data, input, isForbidden);
    for (const run of ["Once", "Again"]) {
      this.#clear();
      const response = await fetch(new URL(target, this.gateway.app.url), { headers: { authorization: caller.authorization } });
      const text = await response.text();
      const received = JSON.parse(text);
      const actual = this.#answer(JSON.stringify(response.ok ? received : { code: received.code }));
      this.#assertEqual(`${run}, GET ${target} by ${caller.name} differs`, asked, { ...expected, text: JSON.stringify(body) }, actual);
    }
    this.counts.routes += 1;
  }

  async #compareEvents(random: SeededRandom): Promise<void> {
    const each = random.pick(subscriptions);
    const type = schema.getType(each.type) as GraphQLObjectType;
    let subscription: GeneratedOperation | undefined;
    const id = random.pick(this.world.ids[each.ids] as readonly string[]);
    const drawn = this.#draw(random, (generator) => {
      const both = generator.selectionOf(each.query, each.subscription, type);
      subscription = both.subscription;
      return { ...both.query, variables: { ...both.query.variables, id } };
    });
    const { query, variables } = subscription as GeneratedOperation;
    const caller = random.pick(this.#callers);
    const expected = await this.#askByLevels(caller, drawn);
    // Who does not see the object is sent nothing.
    if (expected.text.startsWith(`{"data":{"${each.query}":null}`)) return;
    const renamed = expected.text
      .replace(`{"data":{"${each.query}":`, `{"data":{"${each.subscription}":`)
      .replaceAll(`"path":["${each.query}"`, `"path":["${each.subscription}"`);
    const socket = await this.#socketOf(caller);
    const next = await socket.subscribe({ query, variables });
    const event: GatewayEvent = { topic: each.subscription, ids: [id], ...(this.places.get(id) as Place) };
    for (let run = 1; run <= 5; run += 1) {
      this.#clear();
      await this.#publish(event);
      const actual = this.#answer(textOf(await next()));
      this.#assertEqual(`Event ${run} for ${caller.name} differs`, { query, variables }, { ...expected, text: renamed }, actual);
    }
    await socket.complete();
    this.counts.events += 1;
  }

  /** As a write does, which sends events by its transaction if the database transports them. */
  async #publish(event: GatewayEvent): Promise<void> {
    const { app, prisma } = this.gateway;
    const publication = app.events.publication([event]);
    if (publication) await prisma.$queryRaw(publication);
    await app.events.publish([event]);
  }

  async #socketOf({ authorization }: Caller): Promise<OneResultSocket> {
    const socket = this.#sockets.get(authorization) ?? (await OneResultSocket.open(this.gateway.app.url, authorization));
    this.#sockets.set(authorization, socket);
    return socket;
  }

  /** Draws until an operation is valid and within the limits. */
  #draw(random: SeededRandom, draw: (generator: DocumentGenerator) => GeneratedOperation): GeneratedOperation {
    for (let draws = 0; draws < maxDraws; draws += 1) {
      const drawn = draw(new DocumentGenerator(random, this.world, schema, styleOf(random)));
      if (isAdmitted(drawn)) return drawn;
    }
    throw new Error(`No valid document in ${maxDraws}`);
  }

  /** The path and the query of a request, and what of it is valid. */
  #drawRequest(route: Route, random: SeededRandom): { target: string; input: RequestParts } {
    const names = Object.keys(route.input.path?.shape ?? {});
    const path = Object.fromEntries(names.map((name) => [name, this.#idFor(name, random)]));
    const target = route.path.replace(/:(\w+)/g, (_all, name: string) => path[name] as string);
    for (let draws = 0; draws < maxDraws; draws += 1) {
      const query = this.#drawQuery(route.input.query?.shape ?? {}, random);
      const valid = route.input.query ? route.input.query.safeParse(query) : { success: true, data: {} };
      const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
      if (valid.success) return { target: `${target}?${parameters}`, input: { path, query: valid.data ?? {}, body: {} } };
    }
    throw new Error(`No valid request of ${route.path} in ${maxDraws}`);
  }

  /** Values for query parameters; those of lists are lists. */
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
  async #holds(caller: Caller, { permission, facilityParameter }: Route, input: RequestParts): Promise<boolean> {
    const variables = { id: input.path[facilityParameter as string] };
    const { text } = await this.#ask(caller, { query: "query ($id: UUID!) { facility(id: $id) { viewerPermissions } }", variables });
    return JSON.parse(text).data.facility?.viewerPermissions.includes(permission) ?? true;
  }

  async #findCursors(admin: Caller): Promise<void> {
    const query = `query ($filter: AlertFilter!, $id: UUID!) {
      alerts(filter: $filter, first: 30) { edges { cursor } } searchCameras { edges { cursor } } auditLog { edges { cursor } }
      workspace { deliveries { edges { cursor } } }
      camera(id: $id) { statusHistory { edges { cursor } } streamRequests { edges { cursor } } alerts(first: 1) { nodes { comments { edges { cursor } } } } }
    }`;
    const id = this.world.ids.cameraId?.[0];
    const filter = { start: new Date(0), end: new Date("2100-01-01T00:00:00Z") };
    const { text } = await this.#ask(admin, { query, variables: { filter, id } });
    const { data } = JSON.parse(text);
    const of = (connection: { edges: { cursor: string }[] }) => connection.edges.map(({ cursor }) => cursor);
    const { camera, alerts, searchCameras, auditLog, workspace } = data;
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
    const { query, variables, operationName } = byLevels(asked);
    const answer = await this.#ask(caller, { query, variables, operationName });
    const isCompilable = compilableSelections(schema, parse(query)) !== undefined;
    const isByLevels = answer.executions.every((each) => each === "graphql-js") && !answer.statements.some(isWrittenAnswer);
    if (isCompilable || !isByLevels) throw new Error(`Not only graphql-js has run ${query}: ${answer.executions}`);
    return answer;
  }

  async #ask({ authorization }: Caller, { query, variables, operationName }: Asked): Promise<Answer> {
    this.#clear();
    const headers = { "content-type": "application/json", authorization };
    const response = await fetch(`${this.gateway.app.url}/graphql`, {
      method: "POST",
      headers,
      body: JSON.stringify({ query, variables, operationName }),
    });
    const answer = JSON.parse(await response.text()) as { data?: unknown; errors?: ErrorInAnswer[] };
    return { ...this.#answer(textOf(answer)), code: answer.errors?.[0]?.extensions.code };
  }

  #clear(): void {
    this.gateway.statements.length = 0;
    this.#executions.length = 0;
  }

  #answer(text: string): Answer {
    return { text, statements: [...this.gateway.statements], executions: [...this.#executions] };
  }

  #assertEqual(what: string, asked: Asked, expected: Answer, actual: Answer): void {
    if (expected.text !== actual.text) throw new Difference(what, asked, expected, actual);
  }

  #count(expected: readonly Answer[], last: Answer): void {
    const { counts } = this;
    counts.documents += 1;
    if (last.executions.length > 0 && last.executions.every((each) => each === "written")) counts.written += 1;
    if (last.executions.length > 0 && last.executions.every((each) => each === "compiled")) counts.compiled += 1;
    if (expected.some(({ text }) => text.includes('"errors":['))) counts.withErrors += 1;
    if (expected.some(({ text }) => /[[:]\{"[^{}]*\}/.test(text.replace(/^\{"data":/, "")))) counts.withRows += 1;
  }

  #countStatements(expected: Answer, actual: Answer): void {
    this.counts.statements += actual.statements.length;
    this.counts.statementsByLevel += expected.statements.length;
  }
}

/** Whether a statement returns columns under the names of a response, instead of rows. */
const isWrittenAnswer = (statement: string) => statement.includes("level1") && !/level1\$?"?\.\*/.test(statement);

interface ErrorInAnswer {
  message: string;
  path?: readonly (string | number)[];
  extensions: { code: string };
}

/**
 * What is compared of an answer: all but the places in the document, which are not the same. Where an error makes more than its own field
 * null, the specification leaves open which of several errors are reported there, and graphql-js stops at the first: then only the place
 * is compared.
 */
function textOf({ data, errors }: { data?: unknown; errors?: readonly ErrorInAnswer[] }): string {
  if (!errors) return JSON.stringify({ data });
  const shown: unknown[] = [];
  const nullPlaces = new Set<string>();
  for (const { message, path, extensions } of errors) {
    const place = path && nullPlaceOn(path, data);
    if (place) nullPlaces.add(JSON.stringify({ path: place }));
    else shown.push({ message, path, extensions });
  }
  return JSON.stringify({ data, errors: shown, nullPlaces: [...nullPlaces].sort() });
}

/** The place of the null above the field of an error; undefined if no more than the field itself is null. */
function nullPlaceOn(path: readonly (string | number)[], data: unknown): readonly (string | number)[] | undefined {
  let value = data;
  for (const [depth, key] of path.entries()) {
    if (value == null) return path.slice(0, depth);
    value = (value as Record<string, unknown>)[key];
  }
  return undefined;
}

/** The body that a route answers with, by the interface specification. */
function bodyOf({ response }: Route, data: Record<string, unknown> | null, { query }: RequestParts, isForbidden: boolean): object {
  let value: unknown = data;
  for (const [depth, name] of response.from.entries()) {
    value = (value as Record<string, unknown>)[name];
    if (value === null && !(response.nullable && depth === response.from.length - 1)) return { code: "NOT_FOUND" };
  }
  if (isForbidden) return { code: "FORBIDDEN" };
  const inRestCase = JSON.parse(JSON.stringify(value), (key, each) =>
    (key === "streamType" || key === "streamProtocol") && typeof each === "string" ? each.toLowerCase() : each,
  );
  if (response.envelope === "bare") return inRestCase;
  if (response.envelope === "single") return { status: "ok", data: [inRestCase] };
  if (response.envelope === "data") return { status: "ok", data: inRestCase };
  if (response.envelope !== "page") throw new Error(`No read has the envelope ${response.envelope}`);
  return { status: "ok", data: { page: query.page, count: query.count, total: inRestCase.totalCount, alerts: inRestCase.nodes } };
}

/** Everything in a workspace that documents can refer to, in an order that does not depend on random ids. */
async function worldIn(prisma: PrismaClient, workspaceId: string) {
  const where = { workspaceId };
  const facilities = await prisma.facility.findMany({ where, orderBy: { name: "asc" } });
  const cameras = await prisma.camera.findMany({ where, orderBy: { name: "asc" } });
  const rules = await prisma.alertRule.findMany({ where, orderBy: [{ name: "asc" }, { createdAt: "asc" }, { cameraId: "asc" }] });
  const alerts = await prisma.alert.findMany({ where, take: 60, orderBy: { createdAt: "desc" } });
  const users = await prisma.user.findMany({ where, orderBy: { email: "asc" } });
  const deliveries = await prisma.delivery.findMany({ where, orderBy: { createdAt: "asc" } });
  const requests = await prisma.streamRequest.findMany({ where, orderBy: { createdAt: "asc" } });
  const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);
  const nodeIds = (type: string, rows: { id: string }[]) => idsOf(rows).map((id) => encodeNodeId({ type, workspaceId, id }));
  const world: World = {
    ids: {
      facilityId: idsOf(facilities),
      cameraId: idsOf(cameras),
      alertId: idsOf(alerts),
      alertRuleId: idsOf(rules),
      jobId: [completeId],
      analysisJobId: [completeId],
      areaId: [completeId, ...alerts.flatMap(({ areaIds }) => areaIds).slice(0, 5)],
      userId: idsOf(users),
      actorId: idsOf(users),
      targetId: idsOf(cameras),
      nodeId: [
        ...nodeIds("Workspace", [{ id: workspaceId }]),
        ...nodeIds("Facility", facilities),
        ...nodeIds("Camera", cameras.slice(0, 6)),
        ...nodeIds("AlertRule", rules.slice(0, 6)),
        ...nodeIds("Alert", alerts.slice(0, 6)),
        ...nodeIds("User", users),
        ...nodeIds("Delivery", deliveries.slice(0, 4)),
        ...nodeIds("StreamRequest", requests.slice(0, 4)),
      ],
    },
    callers: [],
    uploadUrls: [],
  };
  const places = new Map<string, Place>();
  for (const { id } of facilities) places.set(id, { workspaceId, facilityId: id });
  for (const { id, facilityId } of cameras) places.set(id, { workspaceId, facilityId, cameraId: id });
  for (const { id, facilityId, cameraId } of alerts) places.set(id, { workspaceId, facilityId, cameraId });
  return { world, places };
}
