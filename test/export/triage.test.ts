// Runs once: both kinds of databases run the same statements.

import { randomUUID } from "node:crypto";
import {
  createAlertComment,
  createAlerts,
  createApiKey,
  createPlace,
  createUser,
  grantAccess,
} from "../support/factories.js";
import { type Sender, sharedWorkspace } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import {
  columns,
  csvRecords,
  type ExportFormat,
  exportedFile,
  exportedRows,
  fileOf,
  jsonLines,
  linkTo,
  pathOf,
} from "./exports.js";

const allTime = { start: "1970-01-01T00:00:00Z", end: "9999-12-31T23:59:59.999Z" };
const acknowledgedAt = "2026-11-20T12:10:20.000Z";
const { gateway, prisma, workspaceId } = await sharedWorkspace();
/** Two facilities with a camera each. */
const north = await createPlace(prisma, { workspaceId });
const south = await createPlace(prisma, { workspaceId });

interface Person {
  id: string;
  as: { user: string };
}

/** Creates a user with roles in the workspace and permissions at the facility north. */
async function newUser(
  values: Partial<{ roles: string[]; firstName: string | null; lastName: string | null; email: string }> = {},
  actionsInNorth: string[] = [],
): Promise<Person> {
  const authId = `test|${randomUUID()}`;
  const id = await createUser(prisma, { workspaceId, authId, roles: [], ...values });
  if (actionsInNorth.length > 0)
    await grantAccess(prisma, {
      workspaceId,
      facilityId: north.facilityId,
      userId: id,
      actions: actionsInNorth as never,
    });
  return { id, as: { user: authId } };
}

/** What an export says about the alert that is the only one of its type. */
interface Triage {
  acknowledged: boolean;
  acknowledgedBy: string | null;
  acknowledgedAt: string | null;
  comments: number;
  newestComment: string | null;
}

const triageByFormat: Record<ExportFormat, (file: Buffer) => Promise<Triage> | Triage> = {
  XLSX: async (file) => {
    const [row] = await exportedRows(file);
    const at = row?.["Acknowledged at"];
    return {
      acknowledged: row?.Acknowledged as boolean,
      acknowledgedBy: row?.["Acknowledged by"] as string | null,
      acknowledgedAt: at instanceof Date ? at.toISOString() : null,
      comments: row?.Comments as number,
      newestComment: row?.["Newest comment"] as string | null,
    };
  },
  CSV: (file) => {
    const record = csvRecords(file)[1] as string[];
    const field = (name: (typeof columns)[number]) => record[columns.indexOf(name)] as string;
    const at = field("Acknowledged at");
    return {
      acknowledged: field("Acknowledged") === "TRUE",
      acknowledgedBy: field("Acknowledged by") || null,
      acknowledgedAt: at ? `${at.replace(" ", "T")}.000Z` : null,
      comments: Number(field("Comments")),
      newestComment: field("Newest comment") || null,
    };
  },
  NDJSON: (file) => {
    const { acknowledged, acknowledgedBy, acknowledgedAt, comments, newestComment } = jsonLines<Triage>(
      file,
    )[0] as Triage;
    return { acknowledged, acknowledgedBy, acknowledgedAt, comments, newestComment };
  },
};
const formats = Object.keys(triageByFormat) as ExportFormat[];

async function exported(as: Sender, type: string, format: ExportFormat): Promise<Buffer> {
  return exportedFile(gateway, as, { ...allTime, types: [type] }, format);
}

/** What the export of each format says, which must be the same. */
async function triageFor(as: Sender, type: string): Promise<Triage> {
  const [first, ...others] = await Promise.all(
    formats.map(async (format) => triageByFormat[format](await exported(as, type, format))),
  );
  for (const other of others) expect(other).toEqual(first);
  return first as Triage;
}

/** Creates an acknowledged alert with a type of its own, and returns this type. */
async function acknowledgedAlert(site: typeof north, acknowledgedById: string): Promise<string> {
  const name = `TYPE_${randomUUID()}`;
  await createAlerts(prisma, [{ ...site, name, acknowledgedAt: new Date(acknowledgedAt), acknowledgedById }]);
  return name;
}

describe("an export says that an alert was acknowledged, when, and by whom:", () => {
  let reader: Person;
  beforeAll(async () => {
    reader = await newUser({ roles: ["alerts:read", "users:read"] });
  });

  it("not, and without comments", async () => {
    const [id] = await createAlerts(prisma, [{ ...north, name: "UNTOUCHED" }]);
    expect(id).toBeDefined();
    expect(await triageFor(reader.as, "UNTOUCHED")).toEqual({
      acknowledged: false,
      acknowledgedBy: null,
      acknowledgedAt: null,
      comments: 0,
      newestComment: null,
    });
  });

  it("by first and last name", async () => {
    const { id } = await newUser({ firstName: "Ada", lastName: "Lovelace" });
    expect(await triageFor(reader.as, await acknowledgedAlert(north, id))).toMatchObject({
      acknowledged: true,
      acknowledgedBy: "Ada Lovelace",
      acknowledgedAt,
    });
  });

  it("by email address if no name is known", async () => {
    const { id } = await newUser({ firstName: null, lastName: null, email: "nameless@example.com" });
    expect(await triageFor(reader.as, await acknowledgedAlert(north, id))).toMatchObject({
      acknowledgedBy: "nameless@example.com",
    });
  });

  it("not by whom if the user has been removed or is an API key", async () => {
    const { id } = await newUser();
    const type = await acknowledgedAlert(north, id);
    await prisma.user.delete({ where: { workspaceId_id: { workspaceId, id } } });
    const unknown = { acknowledged: true, acknowledgedBy: null, acknowledgedAt };
    expect(await triageFor(reader.as, type)).toMatchObject(unknown);
    expect(await triageFor(reader.as, await acknowledgedAlert(north, randomUUID()))).toMatchObject(unknown);
  });
});

describe("who acknowledged an alert is named", () => {
  let ofNorth: string;
  let ofWorkspace: string;
  beforeAll(async () => {
    const here = await newUser({ firstName: "Nora", lastName: "North" }, ["alerts:write"]);
    const elsewhere = await newUser({ firstName: "Wanda", lastName: "Work", roles: ["alerts:write"] });
    ofNorth = await acknowledgedAlert(south, here.id);
    ofWorkspace = await acknowledgedAlert(north, elsewhere.id);
  });
  const namesFor = async (as: Sender) =>
    Promise.all([ofNorth, ofWorkspace].map(async (type) => (await triageFor(as, type)).acknowledgedBy));

  it("to callers with users:read at a facility only if the user has access there, as Query.node says", async () => {
    const { as } = await newUser({ roles: ["alerts:read"] }, ["users:read"]);
    expect(await namesFor(as)).toEqual(["Nora North", null]);
  });

  it("to nobody without users:read, not even to the user", async () => {
    const { id, as } = await newUser({ roles: ["alerts:read"], firstName: "Own", lastName: "Name" });
    expect(await namesFor(as)).toEqual([null, null]);
    expect(await triageFor(as, await acknowledgedAlert(north, id))).toMatchObject({
      acknowledged: true,
      acknowledgedBy: null,
      acknowledgedAt,
    });
    const key = await createApiKey(prisma, { workspaceId, permissions: ["alerts:read"] });
    expect(await namesFor(key)).toEqual([null, null]);
  });
});

it("the comments of an alert are counted, and the newest is shown as it is now", async () => {
  const [alertId] = (await createAlerts(prisma, [{ ...north, name: "DISCUSSED" }])) as [string];
  const place = { ...north, alertId };
  const createdAt = (minute: number) => new Date(Date.UTC(2026, 10, 20, 13, minute));
  await createAlertComment(prisma, { ...place, text: "second", createdAt: createdAt(2) });
  await createAlertComment(prisma, {
    ...place,
    text: "third,\nedited",
    createdAt: createdAt(3),
    editedAt: createdAt(9),
  });
  await createAlertComment(prisma, { ...place, text: "first", createdAt: createdAt(1) });
  const { as } = await newUser({ roles: ["alerts:read"] });
  expect(await triageFor(as, "DISCUSSED")).toMatchObject({ comments: 3, newestComment: "third,\nedited" });
});

it("an export reads comments with the alerts, and users once a page", async () => {
  const { id } = await newUser({ firstName: "Busy" });
  const many = await Promise.all(listOf(3, () => newUser()));
  const alerts = listOf(1500, (index) => ({
    ...north,
    name: "MANY",
    acknowledgedAt: new Date(acknowledgedAt),
    acknowledgedById: [id, ...many.map((user) => user.id)][index % 4] as string,
  }));
  await createAlerts(prisma, alerts);
  const { as } = await newUser({ roles: ["alerts:read", "users:read"] });
  const { url } = await linkTo(gateway, as, { ...allTime, types: ["MANY"] }, "CSV");
  gateway.clearStatements();
  await fileOf(await gateway.fetch(pathOf(url)));
  const reading = (table: string) => gateway.statements.filter((sql) => sql.includes(`"${table}"`)).length;
  expect([reading("Alert"), reading("AlertComment")]).toEqual([2, 2]);
  // The caller is one of the users that are read.
  expect(reading("User")).toBeLessThanOrEqual(2);
});
