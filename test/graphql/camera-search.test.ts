import { randomUUID } from "node:crypto";
import { createAlertRule, createCamera, createFacility, createUser } from "../support/factories.js";
import { sharedWorkspace } from "../support/harness.js";

const reader = { user: "search|reader" };

/**
 * In the order of code points: a letter beyond U+FFFF comes after U+FF5E, unlike in
 * UTF-16.
 */
const names = [
  "100% Gate",
  "Gate",
  "Gate",
  "Gate\\8",
  "Gate_7",
  "YARD",
  "gatex7",
  "\u00c7at\u0131",
  "\uff5e",
  "\u{1f3a5}",
];

const { gateway, prisma, workspaceId } = await sharedWorkspace();
await createUser(prisma, {
  workspaceId,
  authId: reader.user,
  roles: ["cameras:read", "cameras:write", "facilities:write"],
});
const facilityId = await createFacility(prisma, { workspaceId });
const otherFacilityId = await createFacility(prisma, { workspaceId });
for (const name of names.toReversed()) await createCamera(prisma, { workspaceId, facilityId, name });
for (const [name, statusDetail] of [
  ["Other", "STREAM_ERROR"],
  ["Own words", "Lens dirty"],
] as const)
  await createCamera(prisma, { workspaceId, facilityId: otherFacilityId, name, statusDetail });

interface Page {
  nodes: { id: string; name: string }[];
  edges: { cursor: string; node: { name: string } }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string; endCursor: string };
  totalCount: number;
}

async function search(variables: { filter?: object; first?: number; after?: string | null }): Promise<Page> {
  const query = `query ($filter: CameraFilter, $first: Int, $after: String) {
    searchCameras(filter: $filter, first: $first, after: $after) {
      nodes { id name } edges { cursor node { name } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount
    }
  }`;
  return (await gateway.data<{ searchCameras: Page }>(query, { as: reader, variables })).searchCameras;
}

const found = async (filter: object) => (await search({ filter })).nodes.map(({ name }) => name);

it("pages through the cameras by name, and shows each once", async () => {
  const pages: Page[] = [];
  do
    pages.push(
      await search({
        filter: { facilityIds: [facilityId] },
        first: 3,
        after: pages.at(-1)?.pageInfo.endCursor ?? null,
      }),
    );
  while (pages.at(-1)?.pageInfo.hasNextPage);
  expect(pages.map(({ nodes }) => nodes.map(({ name }) => name))).toEqual([
    names.slice(0, 3),
    names.slice(3, 6),
    names.slice(6, 9),
    names.slice(9),
  ]);
  expect(new Set(pages.flatMap(({ nodes }) => nodes.map(({ id }) => id))).size).toBe(names.length);
  expect(pages.map(({ pageInfo }) => pageInfo.hasPreviousPage)).toEqual([false, true, true, true]);
  expect(pages.map(({ totalCount }) => totalCount)).toEqual(pages.map(() => names.length));
  const [page] = pages as [Page];
  expect(page.edges.map(({ cursor }) => cursor).filter((_, index) => index !== 1)).toEqual([
    page.pageInfo.startCursor,
    page.pageInfo.endCursor,
  ]);
});

it("reads on after a camera that has been deleted, with only its id selected", async () => {
  const deleted = await createCamera(prisma, {
    workspaceId,
    facilityId: otherFacilityId,
    name: "Other 2",
  });
  const query =
    "query ($after: String) { searchCameras(first: 1, after: $after) { nodes { id } pageInfo { endCursor } } }";
  const { pageInfo } = await search({ filter: { text: "Other 2" } });
  await gateway.data("mutation ($id: UUID!) { deleteCamera(id: $id) { id } }", {
    as: reader,
    variables: { id: deleted },
  });
  const next = await search({ filter: { text: "Own words" } });
  const after = { as: reader, variables: { after: pageInfo.endCursor } };
  expect(await gateway.data(query, after)).toEqual({
    searchCameras: { nodes: [{ id: next.nodes[0]?.id }], pageInfo: { endCursor: next.pageInfo.endCursor } },
  });
});

it("finds a part of the name in any case, literally", async () => {
  expect(await found({ text: "GATE" })).toEqual(["100% Gate", "Gate", "Gate", "Gate\\8", "Gate_7", "gatex7"]);
  expect(await found({ text: "\u00e7AT" })).toEqual(["\u00c7at\u0131"]);
  expect(await found({ text: "%" })).toEqual(["100% Gate"]);
  expect(await found({ text: "gate_" })).toEqual(["Gate_7"]);
  expect(await found({ text: "\\" })).toEqual(["Gate\\8"]);
});

it.each([
  ["\u00dcbergang", "\u00fcBERGANG"],
  ["stra\u00dfe", "STRA\u1e9eE"],
  ["STRA\u1e9eE", "strasse"],
  ["Caf\u00e9", "cafe\u0301"],
  ["Cafe\u0301 Nord", "CAF\u00c9 n"],
  ["Stra\u00dfe", "STRASSE"],
  ["\u039f\u0394\u039f\u03a3", "\u03bf\u03b4\u03bf\u03c2"],
  ["\u0130zmir", "izmir"],
  ["\u0130zmir", "\u0130ZM\u0130R"],
  ["ISPARTA", "\u0131sparta"],
  ["\u042f\u0440\u0434", "\u044f\u0420\u0414"],
])("finds %j by %j, whatever the locale of the server", async (name, text) => {
  const id = await createCamera(prisma, { workspaceId, facilityId: otherFacilityId, name });
  onTestFinished(async () => void (await prisma.camera.deleteMany({ where: { id } })));
  expect(await found({ text })).toEqual([name.normalize("NFC")]);
});

it("writes names in NFC, also those that SQL writes", async () => {
  const decomposed = "Cafe\u0301";
  const create = "mutation ($input: CreateFacilityInput!) { createFacility(input: $input) { name } }";
  const input = { name: decomposed, timeZoneId: "UTC" };
  expect(await gateway.data(create, { as: reader, variables: { input } })).toEqual({
    createFacility: { name: "Caf\u00e9" },
  });
  const id = await createUser(prisma, { workspaceId, firstName: decomposed, lastName: decomposed });
  expect(await prisma.user.findFirst({ where: { id } })).toMatchObject({
    firstName: "Caf\u00e9",
    lastName: "Caf\u00e9",
  });
});

it("finds cameras by their ids, and those that are snoozed now or have a rule that is", async () => {
  const hour = (ahead: number) => new Date(Date.now() + ahead * 3_600_000);
  const snoozes = {
    Lasting: { snoozedAt: hour(-1), snoozedUntil: hour(1) },
    "To come": { snoozedAt: hour(1), snoozedUntil: hour(2) },
    Past: { snoozedAt: hour(-2), snoozedUntil: hour(-1) },
    "By rule": {},
  };
  const snoozedPlace = { workspaceId, facilityId: await createFacility(prisma, { workspaceId }) };
  const filter = { facilityIds: [snoozedPlace.facilityId] };
  onTestFinished(async () => void (await prisma.camera.deleteMany({ where: snoozedPlace })));
  const ids: string[] = [];
  for (const [name, snooze] of Object.entries(snoozes))
    ids.push(await createCamera(prisma, { ...snoozedPlace, name, ...snooze }));
  const [lasting, , , byRule] = ids as [string, string, string, string];
  await createAlertRule(prisma, { workspaceId, cameraId: byRule, ...snoozes.Lasting });
  expect(await found({ ...filter, snoozed: true })).toEqual(["By rule", "Lasting"]);
  expect(await found({ ...filter, snoozed: false })).toEqual(["Past", "To come"]);
  expect(await found({ ids: [lasting, randomUUID()] })).toEqual(["Lasting"]);
});

it("finds cameras by facility and by status", async () => {
  expect(await found({ operational: false })).toEqual(["Other", "Own words"]);
  expect(await found({ operational: true })).toEqual(names);
  expect(await found({ statusDetails: ["Lens dirty", "STREAM_ERROR"], text: "o" })).toEqual([
    "Other",
    "Own words",
  ]);
  expect(await found({ statusDetails: ["STREAM_ERROR"], operational: true })).toEqual([]);
  expect(await found({ facilityIds: [otherFacilityId], text: "her" })).toEqual(["Other"]);
  expect(await found({ facilityIds: [] })).toEqual([]);
});
