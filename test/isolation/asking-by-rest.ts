import { randomUUID } from "node:crypto";
import { rowsOf } from "../export/workbook.js";
import { type Gateway, type Sender, sharedGateway } from "../support/harness.js";
import { initOf, pathParameters, type RouteCase, requestOf, routeCases } from "../support/route-cases.js";
import {
  type AskingCaller,
  callerOf,
  type Expectation,
  expectationOfRoute,
  hiddenFrom,
  hiddenId,
  idOf,
  idsOfRoute,
  type Outcome,
  type RouteId,
  senderOf,
} from "./expectations.js";
import {
  createIsolationSite,
  HiddenContent,
  HiddenRows,
  type IsolationSite,
  type MarkedFacility,
} from "./isolation-site.js";
import { masked } from "./masked.js";

export const hiddenContent = new HiddenContent();
export let gateway: Gateway;
/** Sites for reading and for writing. */
export let shown: IsolationSite;
export let changed: IsolationSite;
export let hiddenRows: HiddenRows;

/** To be called before all tests of a file. */
export async function openSites(): Promise<void> {
  // With a fixed clock, cached callers stay cached: the same requests run the same
  // statements.
  const now = new Date();
  // Frames that are not to be kept would be purged, and count as rows that a request changed.
  gateway = await sharedGateway({ now: () => now, environment: { KEEP_DETECTIONS: "on" } });
  // Files of one worker share the database.
  const name = randomUUID().slice(0, 8);
  shown = await createIsolationSite(gateway.prisma, `${name}-shown`);
  changed = await createIsolationSite(gateway.prisma, `${name}-changed`);
  for (const { callers } of [shown, changed]) {
    await hiddenContent.read(gateway, Object.values(callers));
    for (const { as } of Object.values(callers)) await gateway.fetch("/facilities", { as });
  }
  hiddenRows = new HiddenRows(gateway);
}

interface Asked extends RouteId {
  route: RouteCase;
}

export const nameOf = ({ method, path }: RouteCase) => `${method.toUpperCase()} ${path}`;
export const positions = routeCases.flatMap((route) =>
  idsOfRoute(route).map((id) => [`${nameOf(route)} (${id.part}.${id.name})`, { route, ...id }] as const),
);
export const withoutIds = routeCases.filter(
  (route) => !idsOfRoute(route).some(({ part, name }) => part === "path" || route.query?.[name]?.required),
);
export const isolationFor = ({ method }: RouteCase) => (method === "get" ? shown : changed);

interface Answer {
  status: number;
  text: string;
  code?: Outcome;
  isEmpty: boolean;
}

export async function answerOf(response: Response): Promise<Answer> {
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

export const outcomeOf = ({ status, code, isEmpty }: Answer): Outcome | string => {
  if (status !== 200) return code ?? `status ${status}`;
  return isEmpty ? "empty" : "allowed";
};

/** Sends a good request with the ids of a facility, except for one. */
export async function ask(
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

/** Asks by callers with a hidden id and with one that never existed. Nothing hidden may change. */
export async function expectHidden(asked: Asked, groups: readonly AskingCaller[][]): Promise<void> {
  const { route } = asked;
  for (const names of groups) {
    const caller = callerOf(isolationFor(route), names.at(-1) as AskingCaller);
    const rows = route.method !== "get" && (await hiddenRows.of(caller));
    for (const name of names) await compare(asked, expectationOfRoute(route, asked), name);
    if (rows) expect(await hiddenRows.of(caller)).toBe(rows);
  }
}
