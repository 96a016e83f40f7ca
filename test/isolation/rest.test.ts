// Runs once: both kinds of databases run the same statements.
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { exportedIds, fileOf, linkTo, pathOf } from "../export/exports.js";
import { rowsOf } from "../export/workbook.js";
import { type Sender, sharedGateway } from "../support/harness.js";
import { plainPng } from "../support/png.js";
import { initOf, pathParameters, type RouteCase, requestOf, routeCases } from "../support/route-cases.js";
import {
  type AskingCaller,
  askingCallers,
  callerOf,
  type Expectation,
  expectationOfRoute,
  groupsToWatch,
  hiddenFrom,
  hiddenId,
  idOf,
  idsOfRoute,
  type Outcome,
  type RouteId,
  senderOf,
} from "./expectations.js";
import {
  callerNames,
  createIsolationSite,
  HiddenContent,
  HiddenRows,
  type MarkedFacility,
} from "./isolation-site.js";
import { masked } from "./masked.js";

const hiddenContent = new HiddenContent();
// With a fixed clock, cached callers stay cached: the same requests run the same
// statements.
const now = new Date();
const gateway = await sharedGateway({ now: () => now });
const { prisma } = gateway;
/** Sites for reading and for writing. */
const shown = await createIsolationSite(prisma, "shown");
const changed = await createIsolationSite(prisma, "changed");
for (const { callers } of [shown, changed]) {
  await hiddenContent.read(gateway, Object.values(callers));
  for (const { as } of Object.values(callers)) await gateway.fetch("/facilities", { as });
}
const hiddenRows = new HiddenRows(gateway);

interface Asked extends RouteId {
  route: RouteCase;
}

const nameOf = ({ method, path }: RouteCase) => `${method.toUpperCase()} ${path}`;
const positions = routeCases.flatMap((route) =>
  idsOfRoute(route).map((id) => [`${nameOf(route)} (${id.part}.${id.name})`, { route, ...id }] as const),
);
const withoutIds = routeCases.filter(
  (route) => !idsOfRoute(route).some(({ part, name }) => part === "path" || route.query?.[name]?.required),
);
const isolationFor = ({ method }: RouteCase) => (method === "get" ? shown : changed);

interface Answer {
  status: number;
  text: string;
  code?: Outcome;
  isEmpty: boolean;
}

async function answerOf(response: Response): Promise<Answer> {
  const { status } = response;
  if (response.headers.get("content-type")?.includes("spreadsheet")) {
    const rows = await rowsOf(Buffer.from(await response.arrayBuffer()));
    return { status, text: JSON.stringify(rows), isEmpty: rows.length === 1 };
  }
  const text = await response.text();
  const body = text === "" ? {} : JSON.parse(text);
  const list = body.data?.alerts ?? body.data;
  return { status, text, code: body.code, isEmpty: Array.isArray(list) && list.length === 0 };
}

const outcomeOf = ({ status, code, isEmpty }: Answer): Outcome | string => {
  if (status !== 200) return code ?? `status ${status}`;
  return isEmpty ? "empty" : "allowed";
};

/** Sends a good request with the ids of a facility, except for one. */
async function ask(
  route: RouteCase,
  as: Sender,
  site: MarkedFacility,
  { part, name, id }: Partial<Omit<Asked, "route">> & { id?: string } = {},
): Promise<Answer> {
  const changes = name && id ? { [name]: id } : {};
  const values = {
    ...pick(site, pathParameters(route)),
    ...(route.query?.alertId && { alertId: idOf.alert(site) }),
  };
  const target = requestOf(
    route,
    part === "path" ? { ...values, ...changes } : values,
    part === "query" ? changes : {},
  );
  // An API key has to name the user.
  const body = { ...(route.sends?.userId && { userId: site.userId }), ...(part === "body" && changes) };
  return answerOf(await gateway.fetch(target, { as, ...initOf(route, body) }));
}

const pick = (site: MarkedFacility, names: string[]) =>
  Object.fromEntries(
    names.map((name) => [
      name,
      name === "alertId" ? idOf.alert(site) : (site[name as keyof MarkedFacility] as string),
    ]),
  );

/** Asks with an id that never existed and with a hidden one, and compares. */
async function compare(
  { route, part, name }: Asked,
  { id: kind = "camera", outcomes }: Expectation,
  callerName: AskingCaller,
): Promise<void> {
  const isolation = isolationFor(route);
  const caller = callerOf(isolation, callerName);
  const [own = isolation.near] = caller.sites;
  const send = async (id: string) => {
    gateway.clearStatements();
    const answer = await ask(route, senderOf(isolation, callerName), own, { part, name, id });
    // Background work follows a write that succeeds.
    const statements = outcomes[callerName] === "allowed" ? [] : gateway.statements.toSorted();
    return { outcome: outcomeOf(answer), statements, text: answer.text };
  };
  // Other tests' writes may have changed the caller. Without this request, one of the two
  // would read the caller again.
  await send(randomUUID());
  const unknown = await send(randomUUID());
  // Asking with the caller's own id proves that the rest of the request is valid.
  if (route.method === "get" && callerName === "siteUser")
    expect((await send(idOf[kind](own))).outcome).toBe("allowed");
  for (const site of hiddenFrom(caller, kind)) {
    const id = hiddenId(kind, site, callerName);
    const { text, ...answer } = await send(id);
    expect({ callerName, ...answer }).toEqual({
      callerName,
      outcome: outcomes[callerName],
      statements: unknown.statements,
    });
    expect(masked(text)).toBe(masked(unknown.text));
    expect(hiddenContent.in(text, caller, [id])).toEqual([]);
  }
}

describe("a hidden id is answered like one that never existed, and changes nothing, by", () => {
  it.each(positions)("%s", async (_position, asked) => {
    const { route } = asked;
    const expectation = expectationOfRoute(route, asked);
    for (const names of groupsToWatch(expectation.outcomes)) {
      const caller = callerOf(isolationFor(route), names.at(-1) as AskingCaller);
      const rows = route.method !== "get" && (await hiddenRows.of(caller));
      for (const name of names) await compare(asked, expectation, name);
      if (rows) expect(await hiddenRows.of(caller)).toBe(rows);
    }
  });
});

describe("without an id, each caller gets exactly the visible objects by", () => {
  it.each(withoutIds.map((route) => [nameOf(route), route] as const))("%s", async (_name, route) => {
    const { outcomes } = expectationOfRoute(route);
    const isolation = isolationFor(route);
    for (const callerName of askingCallers) {
      const caller = callerOf(isolation, callerName);
      const rows = await hiddenRows.of(caller);
      const answer = await ask(route, senderOf(isolation, callerName), caller.sites[0] ?? isolation.near);
      expect({ callerName, outcome: outcomeOf(answer) }).toEqual({
        callerName,
        outcome: outcomes[callerName],
      });
      expect(hiddenContent.in(answer.text, caller)).toEqual([]);
      expect(await hiddenRows.of(caller)).toBe(rows);
    }
  });
});

describe("shows each caller exactly the visible objects by", () => {
  const idIn = {
    facilities: idOf.facility,
    cameras: idOf.camera,
    alerts: (site: MarkedFacility) => site.alertIds,
  };
  const lists = withoutIds.filter(
    ({ method, path }) => method === "get" && path !== "/user" && path !== "/alerts/export",
  );
  it.each(lists.map((route) => [nameOf(route), route] as const))("%s", async (_name, route) => {
    for (const callerName of callerNames) {
      const caller = shown.callers[callerName];
      const { text } = await ask(route, caller.as, shown.near);
      const list = JSON.parse(text).data;
      const ids = (list.alerts ?? list).map(({ id }: { id: string }) => id);
      const kind = route.path.split("/").at(-1) as keyof typeof idIn;
      expect({ callerName, ids: ids.toSorted() }).toEqual({
        callerName,
        ids: caller.sites.flatMap(idIn[kind]).toSorted(),
      });
    }
  });

  it("the link to an export, whoever opens it", async () => {
    const filter = { start: "2026-11-01T00:00:00Z", end: "2026-12-01T00:00:00Z" };
    for (const callerName of callerNames) {
      const { as, sites, hidden } = shown.callers[callerName];
      if (sites.length === 0) continue;
      const idsBehind = async (more: object) => {
        const { url } = await linkTo(gateway, as, { ...filter, ...more });
        return exportedIds(await fileOf(await gateway.fetch(pathOf(url))));
      };
      expect((await idsBehind({})).toSorted()).toEqual(sites.flatMap(({ alertIds }) => alertIds).toSorted());
      for (const { facilityId } of hidden) expect(await idsBehind({ facilityId })).toEqual([]);
    }
  });
});

describe("the links of one object or purpose do not open another:", () => {
  it("a picture's signature, for a foreign picture and for none", async () => {
    const key = `users/${shown.callers.admin.userId}.webp`;
    await prisma.user.updateMany({
      where: { id: { in: [shown.callers.admin.userId, shown.callers.otherAdmin.userId] as string[] } },
      data: { picture: key },
    });
    const { me } = await gateway.data<{ me: { picture: string } }>("{ me { picture } }", {
      as: shown.callers.admin.as,
    });
    const signed = pathOf(me.picture);
    const answers = [`users/${shown.callers.otherAdmin.userId}.webp`, `users/${randomUUID()}.webp`].map(
      async (other) => answerOf(await gateway.fetch(signed.replace(key, other))),
    );
    const [foreign, unknown] = await Promise.all(answers);
    expect(foreign?.code).toBe("NOT_FOUND");
    expect(foreign).toEqual(unknown);
  });

  it("tickets for exports and uploads", async () => {
    const { as, sites } = changed.callers.otherAdmin;
    const { url: exportUrl } = await linkTo(gateway, as, {
      start: "2026-11-01T00:00:00Z",
      end: "2026-12-01T00:00:00Z",
    });
    const query = "mutation ($cameraId: UUID!) { createAlertUpload(cameraId: $cameraId) { url } }";
    const { createAlertUpload } = await gateway.data<{ createAlertUpload: { url: string } }>(query, {
      as,
      variables: { cameraId: sites[0]?.cameraId },
    });
    const [exportTicket, uploadTicket] = [exportUrl, createAlertUpload.url].map(
      (url) => new URL(url).searchParams.get("ticket") as string,
    );
    const upload = {
      method: "PUT",
      body: Uint8Array.from(plainPng()),
      headers: { "content-type": "image/png" },
    };
    const answers = [
      await answerOf(await gateway.fetch(`/alerts/export?ticket=${uploadTicket}`)),
      await answerOf(await gateway.fetch(`/files/uploads?ticket=${exportTicket}`, upload)),
      await answerOf(await gateway.fetch(`/files/uploads?ticket=${randomUUID()}`, upload)),
    ];
    expect(answers.map(({ status, code }) => ({ status, code }))).toEqual(
      Array(3).fill({ status: 404, code: "NOT_FOUND" }),
    );
  });
});
