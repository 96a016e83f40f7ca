// Runs once: both kinds of databases run the same statements.

import { createAdmin, createApiKey, createConnector } from "../support/factories.js";
import { type Call, refusal, run, type Sender, sharedWorkspace } from "../support/harness.js";
import { listOf } from "../support/list-of.js";

const start = Date.parse("2026-11-20T09:30:00.000Z");
const minute = 60_000;
const at = (milliseconds: number) => new Date(start + milliseconds).toISOString();
let time = start;
const { gateway, prisma, workspaceId } = await sharedWorkspace({ now: () => new Date(time) });
const admin = await createAdmin(prisma, workspaceId);

/** A key without any permission. */
const newKey = async (values: object = {}) => {
  const key = await createApiKey(prisma, { workspaceId, permissions: [], ...values });
  return { ...key, as: key as Sender };
};
const fields =
  "id name kind version apiKey { id } firstReportedAt lastReportedAt unmapped { kind name cameraId count lastSeenAt }";
const report = (input: object = {}): Call => [
  `mutation ($input: ConnectorReportInput!) { reportConnector(input: $input) { ${fields} } }`,
  { input: { name: "yard", kind: "FRIGATE", version: "1.0.0", ...input } },
];

interface Connector {
  id: string;
  name: string;
  apiKey: { id: string };
}
/** The connectors of a key, as the workspace's administrator sees them. */
const connectorsOf = async ({ id }: { id: string }): Promise<Connector[]> => {
  const { workspace } = await run<{ workspace: { connectors: Connector[] } }>(gateway, admin, [
    `{ workspace { connectors { ${fields} } } }`,
    {},
  ]);
  return workspace.connectors.filter(({ apiKey }) => apiKey.id === id);
};

describe("reportConnector", () => {
  it("shows the connector with its key, and what it could not map, to those who may see API keys", async () => {
    const key = await newKey();
    const cameraId = "0198F000-0000-7000-8000-00000000000A";
    const sources = [
      { kind: "CAMERA", name: "garage", count: 12, lastSeenAt: "2026-11-20T12:29:00+03:00" },
      { kind: "ZONE", name: "gate", cameraId, count: 1, lastSeenAt: at(-1) },
    ];
    const { reportConnector } = await run<{ reportConnector: Connector }>(
      gateway,
      key,
      report({ unmapped: sources }),
    );
    const expected = {
      id: expect.any(String),
      ...{ name: "yard", kind: "FRIGATE", version: "1.0.0", apiKey: { id: key.id } },
      ...{ firstReportedAt: at(0), lastReportedAt: at(0) },
      unmapped: [
        { kind: "CAMERA", name: "garage", cameraId: null, count: 12, lastSeenAt: at(-minute) },
        { kind: "ZONE", name: "gate", cameraId: cameraId.toLowerCase(), count: 1, lastSeenAt: at(-1) },
      ],
    };
    expect(reportConnector).toEqual(expected);
    expect(await connectorsOf(key)).toEqual([expected]);
  });

  it("replaces what the connector of that name reported before, and shows it also after its key was revoked", async () => {
    const key = await newKey();
    time = start;
    await run(
      gateway,
      key,
      report({ unmapped: [{ kind: "CAMERA", name: "garage", count: 1, lastSeenAt: at(0) }] }),
    );
    const [before] = await connectorsOf(key);
    time = start + minute;
    await run(gateway, key, report({ version: "1.1.0" }));
    await run(gateway, admin, [`mutation ($id: UUID!) { revokeApiKey(id: $id) { id } }`, { id: key.id }]);
    expect(await connectorsOf(key)).toEqual([
      { ...before, version: "1.1.0", lastReportedAt: at(minute), unmapped: [] },
    ]);
    time = start;
  });

  it("is audited when a connector is new or of another version, and not with each report", async () => {
    const key = await newKey();
    for (const version of ["1.0.0", "1.0.0", "1.1.0", "1.1.0"]) await run(gateway, key, report({ version }));
    const entries = await prisma.auditEntry.findMany({
      where: { workspaceId, actorId: key.id },
      orderBy: { id: "asc" },
    });
    expect(entries.map(({ changes }) => changes)).toMatchObject([
      { name: { from: null, to: "yard" }, version: { from: null, to: "1.0.0" } },
      { version: { from: "1.0.0", to: "1.1.0" } },
    ]);
  });

  it("tells connectors apart by their keys and names", async () => {
    const [one, other] = [await newKey(), await newKey()];
    for (const [key, name] of [
      [one, "quay"],
      [one, "b"],
      [other, "quay"],
    ] as const)
      await run(gateway, key, report({ name }));
    expect((await connectorsOf(one)).map(({ name }) => name)).toEqual(["b", "quay"]);
    expect((await connectorsOf(other)).map(({ name }) => name)).toEqual(["quay"]);
  });

  it("is FORBIDDEN for a user, who has no connectors", async () => {
    expect(await refusal(gateway, admin, report())).toEqual({
      code: "FORBIDDEN",
      message: "This needs an API key: a connector is no user",
    });
  });
});

describe("a key with 20 connectors", () => {
  /** A key whose n-th connector was heard n minutes before the first one. */
  async function fullKey(silentFor: number) {
    const key = await newKey();
    for (let n = 0; n < 20; n += 1)
      await createConnector(prisma, {
        ...{ workspaceId, apiKeyId: key.id, name: `container ${n}` },
        lastReportedAt: new Date(start - silentFor - n * minute),
      });
    return key;
  }
  const namesOf = async (key: { id: string }) => (await connectorsOf(key)).map(({ name }) => name);

  it.each([
    ["that is an hour", 41 * minute],
    ["a clock was ahead when they were heard", -400 * 24 * 60 * minute],
  ])(
    "gives the place of the one that is silent for longest to a new one, if %s",
    async (_when, silentFor) => {
      const key = await fullKey(silentFor);
      await run(gateway, key, report({ name: "container 20" }));
      const names = await namesOf(key);
      expect(names).toHaveLength(20);
      expect(names).toContain("container 20");
      expect(names).not.toContain("container 19");
    },
  );

  it("refuses a new one while all of them are heard, and still takes the reports of these", async () => {
    const key = await fullKey(40 * minute);
    expect((await refusal(gateway, key, report({ name: "container 20" }))).code).toBe("CONFLICT");
    await run(gateway, key, report({ name: "container 3" }));
    expect(await namesOf(key)).toHaveLength(20);
  });

  it("keeps to that number when new ones report at the same time", async () => {
    const key = await newKey();
    for (let n = 0; n < 18; n += 1)
      await createConnector(prisma, {
        ...{ workspaceId, apiKeyId: key.id, name: `old ${n}` },
        lastReportedAt: new Date(start),
      });
    const outcomes = await Promise.allSettled(
      listOf(5, (n) => run(gateway, key, report({ name: `new ${n}` }))),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(2);
    expect(await namesOf(key)).toHaveLength(20);
  });
});
