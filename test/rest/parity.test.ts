// Runs once: REST runs the statements of GraphQL, which are tested on every kind of
// database.
import fc from "fast-check";
import { print } from "graphql";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { routeGroups } from "../../src/rest/routes.js";
import { toVariables } from "../../src/route/input.js";
import type { RequestParts, Route } from "../../src/route/route.js";
import { createApiKey } from "../support/factories.js";
import { type Gateway, type Sender, startGateway } from "../support/harness.js";

/** Arbitrary argument values by parameter name. */
let pools: Record<string, fc.Arbitrary<string>>;
let gateway: Gateway;
const senders: Record<string, Sender> = {
  "an admin": { user: "demo|admin" },
  "the user of a site": { user: "demo|site" },
};

beforeAll(async () => {
  // Links expire by the hour: with a fixed clock, two responses for the same record are
  // equal. Rounded, because the generated values depend on the last digits.
  const now = new Date(Math.floor(Date.now() / 10_000) * 10_000);
  gateway = await startGateway({ seed: "demo", now: () => now, environment: { MAX_QUERY_COST: "10000000" } });
  const { prisma } = gateway;
  const facilities = await prisma.facility.findMany({ orderBy: { name: "asc" } });
  const cameras = await prisma.camera.findMany({ orderBy: { name: "asc" } });
  const jobs = await prisma.analysisJob.findMany({ orderBy: { id: "asc" } });
  const alerts = await prisma.alert.findMany({ take: 200, orderBy: { id: "asc" } });
  const { id: facilityId, workspaceId } = await prisma.facility.findFirstOrThrow({
    where: { timeZoneId: "Asia/Kathmandu" },
  });
  senders["a key of one facility"] = await createApiKey(prisma, {
    workspaceId,
    permissions: ["facilities:read", "alerts:read"],
    facilityIds: [facilityId],
  });
  // Prefers facilities where every caller can see something.
  const visibleFacilities = facilities
    .filter(({ timeZoneId }) => ["Europe/Istanbul", "Asia/Kathmandu"].includes(timeZoneId))
    .map(({ id }) => id);
  const arbitraryOf = (values: string[], preferred: string[]) =>
    fc.oneof(
      { arbitrary: fc.constantFrom(...preferred), weight: 5 },
      { arbitrary: fc.constantFrom(...values), weight: 3 },
      { arbitrary: fc.constantFrom(...preferred).map((hit) => hit.toUpperCase()), weight: 1 },
      { arbitrary: fc.uuid(), weight: 2 },
    );
  const ids = (rows: { id: string; facilityId?: string }[]) =>
    arbitraryOf(
      rows.map(({ id }) => id),
      rows.filter((row) => visibleFacilities.includes(row.facilityId ?? row.id)).map(({ id }) => id),
    );
  const texts = (values: string[]) => fc.constantFrom(...new Set([...values, "NOTHING", "nothing like it"]));
  const day = 86_400_000;
  const timestamps = fc.oneof(
    {
      arbitrary: fc.integer({ min: -95, max: 1 }).map((days) => String(now.getTime() + days * day)),
      weight: 4,
    },
    fc
      .integer({ min: -95 * 24, max: 24 })
      .map((hours) => String(Math.floor(now.getTime() / 1000) + hours * 3600)),
    fc.constantFrom(
      "0",
      "99999999999",
      "100000000000",
      "253402300799999",
      ...alerts.slice(0, 5).map(({ createdAt }) => String(createdAt.getTime())),
    ),
  );
  const types = alerts.map(({ name }) => name);
  pools = {
    cameraId: ids(cameras),
    facilityId: ids(facilities),
    jobId: fc.constantFrom(...jobs.map(({ id }) => id)),
    areaId: fc.constantFrom(...alerts.flatMap(({ areaIds }) => areaIds)),
    type: texts(types),
    alertType: texts(types),
    severity: texts(["LOW", "MEDIUM", "HIGH"]),
    bookmark: fc.constantFrom("true", "false"),
    aggregate: fc.constantFrom("day", "week", "month"),
    page: fc
      .oneof({ arbitrary: fc.integer({ min: 1, max: 4 }), weight: 4 }, fc.constant(2_000_000))
      .map(String),
    count: fc.constantFrom("1", "7", "20", "50", "1000"),
    start: timestamps,
    end: timestamps,
  };
  // Each job belongs to one camera, so most random pairs would not match.
  jobsOf = new Map(
    cameras.map(({ id }) => [id, jobs.filter(({ cameraId }) => cameraId === id).map((job) => job.id)]),
  );
});
afterAll(() => gateway.close());

let jobsOf: Map<string, string[]>;

type Raw = Record<string, string | string[]>;

/** Arguments in the form of a request. */
function drawArguments(route: Route): fc.Arbitrary<{ path: Record<string, string>; query: Raw }> {
  const poolOf = (name: string) => {
    const pool = pools[name];
    if (!pool) throw new Error(`Endpoint ${route.number} takes ${name}, which nothing is drawn for`);
    return pool;
  };
  const path = fc.record(
    Object.fromEntries(Object.keys(route.input.path?.shape ?? {}).map((name) => [name, poolOf(name)])),
  );
  const shape = route.input.query?.shape ?? {};
  const isList = (name: string) =>
    shape[name]?.safeParse(["a0000000-0000-4000-8000-000000000000"]).success ?? false;
  const isRequired = (name: string) => !shape[name]?.safeParse(undefined).success;
  const values = (name: string): fc.Arbitrary<string | string[]> =>
    isList(name) ? fc.array(poolOf(name), { minLength: 1, maxLength: 3 }) : poolOf(name);
  const query = fc.record(
    Object.fromEntries(
      Object.keys(shape).map((name) => [
        name,
        isRequired(name) ? values(name) : fc.option(values(name), { nil: undefined, freq: 2 }),
      ]),
    ),
  );
  return fc
    .record({ path, query: query.map(inOrder) })
    .map(({ path, query }) => ({ path: withOwnJob(path), query }));
}

/** Puts most periods in order; both APIs must reject the others. */
function inOrder(query: Record<string, string | string[] | undefined>): Raw {
  const given = Object.fromEntries(
    Object.entries(query).filter((entry): entry is [string, string | string[]] => entry[1] !== undefined),
  );
  const { start, end } = given;
  const isReversed =
    typeof start === "string" &&
    typeof end === "string" &&
    Number(start) > Number(end) &&
    !start.endsWith("9");
  return isReversed ? { ...given, start: end, end: start } : given;
}

/**
 * Replaces three of four jobs with one of the chosen camera, since jobs of other cameras
 * are not found.
 */
function withOwnJob(path: Record<string, string>): Record<string, string> {
  const own = jobsOf.get(path.cameraId ?? "") ?? [];
  const draw = Number.parseInt(path.jobId?.at(-1) ?? "", 16);
  return own.length > 0 && draw % 4 !== 0 ? { ...path, jobId: own[draw % own.length] as string } : path;
}

interface Outcome {
  /** The error code, or OK. */
  code: string;
  value?: unknown;
}

async function sendRest(
  route: Route,
  { path, query }: { path: Record<string, string>; query: Raw },
  as: Sender,
): Promise<Outcome> {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const item of [value].flat()) parameters.append(name, item);
  const target = route.path.replace(/:(\w+)/g, (_whole, name: string) => path[name] as string);
  const response = await gateway.fetch(`${target}?${parameters}`, { as });
  const body = (await response.json()) as { code: string; data: Record<string, unknown> };
  if (response.status !== 200) return { code: body.code };
  if (route.response.envelope !== "page")
    return { code: "OK", value: route.response.envelope === "bare" ? body : body.data };
  const { page, count, total, alerts } = body.data;
  expect({ page, count }).toEqual({ page: Number(query.page ?? 1), count: Number(query.count ?? 20) });
  return { code: "OK", value: { totalCount: total, nodes: alerts } };
}

async function sendGraphql(route: Route, input: RequestParts, as: Sender): Promise<Outcome> {
  const { data, errors } = await gateway.graphql<Record<string, unknown>>(print(route.operation), {
    as,
    variables: toVariables(route, input),
  });
  if (errors) return { code: errors[0]?.extensions.code as string };
  let value: unknown = data;
  for (const [depth, name] of route.response.from.entries()) {
    value = (value as Record<string, unknown>)[name];
    if (value === null && !(route.response.nullable && depth === route.response.from.length - 1))
      return { code: "NOT_FOUND" };
  }
  return { code: "OK", value: route.response.envelope === "single" ? [value] : value };
}

/** The only difference between the APIs: REST writes these two in lower case. */
const toRestCase = (value: unknown) =>
  JSON.parse(JSON.stringify(value ?? null), (key, each) =>
    (key === "streamType" || key === "streamProtocol") && typeof each === "string"
      ? each.toLowerCase()
      : each,
  );

// The export tests compare the contents of files with GraphQL.
const reads = routeGroups
  .flatMap(({ routes }) => routes)
  .filter(({ download }) => !download)
  .filter(({ operation }) =>
    operation.definitions.some((each) => each.kind === "OperationDefinition" && each.operation === "query"),
  );

describe("REST returns the same as GraphQL", () => {
  describe.each(Object.keys({ ...senders, "a key of one facility": 0 }))("for %s", (who) => {
    it.each(reads.map((route) => [`${route.number} ${route.path}`, route] as const))(
      "%s",
      async (_title, route) => {
        const as = senders[who] as Sender;
        const codes = new Set<string>();
        const hasInput = route.input.path !== undefined || route.input.query !== undefined;
        await fc.assert(
          fc.asyncProperty(drawArguments(route), async (request) => {
            const input: RequestParts = {
              path: route.input.path?.parse(request.path) ?? {},
              query: route.input.query?.parse(request.query) ?? {},
              body: {},
            };
            const [rest, graphql] = [await sendRest(route, request, as), await sendGraphql(route, input, as)];
            codes.add(rest.code);
            expect(rest).toEqual({
              ...graphql,
              ...("value" in graphql && { value: toRestCase(graphql.value) }),
            });
          }),
          // All callers but the admin see less, by the same conditions, so fewer runs
          // suffice.
          { seed: 20261120, numRuns: hasInput ? (who === "an admin" ? 16 : 8) : 1, endOnFailure: true },
        );
        // Requires both hits and misses.
        if (route.input.path) expect([...codes]).toContain("NOT_FOUND");
        expect([...codes]).toContain(route.path === "/user" && who.startsWith("a key") ? "FORBIDDEN" : "OK");
      },
    );
  });
});
