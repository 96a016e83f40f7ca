// Runs once: both kinds of databases run the same statements.

import { createApiKey, createTestUser } from "../support/factories.js";
import { type Gateway, gatewayForTest, sharedGateway, startGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { Detector, person, recordDetections } from "./detector.js";

const gateway = await sharedGateway();
const detector = await Detector.open(gateway);
await detector.newRule();

it("a frame of tomorrow is refused with its path, and nothing of the request counts", async () => {
  const at = new Date(Date.now() + 86_400_000).toISOString();
  const before = { alerts: await detector.alerts(), states: await detector.states() };
  const input = [detector.frame(0), detector.frame(1, [person()], { at })];
  expect(await detector.refused(input)).toMatchObject({
    code: "BAD_REQUEST",
    paths: ["input.1.at"],
  });
  expect({ alerts: await detector.alerts(), states: await detector.states() }).toEqual(before);
});

/** Sends frames without objects, one call for each of the given numbers of seconds. */
const calls = (own: Detector, seconds: readonly number[], more = "") => {
  const fields = seconds.map((_, n) => `a${n}: recordDetections(input: $i${n}) { processed }`).join(" ");
  const parameters = seconds.map((_, n) => `$i${n}: [DetectionFrameInput!]!`).join(" ");
  const variables = Object.fromEntries(seconds.map((second, n) => [`i${n}`, [own.frame(second, [])]]));
  return { query: `mutation (${parameters}) { ${fields} ${more} }`, variables };
};

describe("with a limit of three requests per minute", () => {
  let own: Detector;
  beforeAll(async () => {
    const environment = { RATE_LIMIT: "on", RATE_LIMIT_CALLER: "3", RATE_LIMIT_DETECTIONS: "1000" };
    const strict = await startGateway({ environment });
    own = await Detector.open(strict);
    return () => strict.close();
  });

  /** Whether each request of a new caller was answered, in order. */
  async function answered(requests: readonly { query: string; variables?: object }[]): Promise<boolean[]> {
    const { workspaceId, facilityId } = own;
    const as = (
      await createTestUser(own.gateway.prisma, {
        workspaceId,
        at: { [facilityId]: ["alerts:write", "facilities:read"] },
      })
    ).as;
    const outcomes: boolean[] = [];
    for (const { query, variables } of requests) {
      const { status } = await own.gateway.graphql(query, { as, variables });
      outcomes.push(status !== 429);
    }
    return outcomes;
  }
  const reading = { query: "{ facilities { id } }" };

  it("frames have a limit of their own: requests with nothing else do not count", async () => {
    const frames = [0, 1, 2, 3, 4].map((second) => calls(own, [second]));
    expect(await answered([...frames, reading, reading, reading, reading])).toEqual([
      ...frames.map(() => true),
      ...[true, true, true, false],
    ]);
  });

  it.each<[what: string, request: () => { query: string; variables: object }]>([
    ["that have another field", () => calls(own, [10], "deleteAlerts(ids: []) { deletedIds }")],
    ["that have several such fields", () => calls(own, [11, 12])],
    ["whose frames are refused", () => ({ ...calls(own, [13]), variables: { i0: [own.frame(13, [{}])] } })],
    [
      "of cameras that the caller does not see",
      () => ({
        ...calls(own, [14]),
        variables: { i0: [own.frame(14, [], { cameraId: detector.cameraId })] },
      }),
    ],
  ])("requests %s count", async (_what, request) => {
    expect(await answered(Array.from({ length: 4 }, request))).toEqual([true, true, true, false]);
  });
});

it("more frames than a caller may send in a minute are refused, with the time to wait", async () => {
  const limited = await gatewayForTest({
    environment: { RATE_LIMIT: "on", RATE_LIMIT_DETECTIONS: "1000" },
  });
  const own = await Detector.open(limited);
  const key = await createApiKey(limited.prisma, {
    workspaceId: own.workspaceId,
    permissions: ["alerts:write"],
  });
  const send = (count: number, first: number, as: Parameters<Gateway["graphql"]>[1] = {}) =>
    limited.graphql<object>(recordDetections, {
      as: own.admin.as,
      variables: { input: listOf(count, (n) => own.frame(first + n, [])) },
      ...as,
    });
  expect((await send(999, 0)).errors).toBeUndefined();
  const refused = await send(2, 1000);
  expect(refused.errors).toMatchObject([
    { message: expect.stringContaining("frames of detections"), extensions: { code: "RATE_LIMITED" } },
  ]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await send(1, 1002, { as: key })).errors).toBeUndefined();
});
