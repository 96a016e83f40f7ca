import { admin, createFixedFleet, full } from "../support/fixed-fleet.js";
import { authorizationOf } from "../support/harness.js";
import { bodyOf, type RouteCase, requestOf, routeCases, titled } from "../support/route-cases.js";
import { createTestWorkspace, senderFor, type TestWorkspace } from "../support/test-workspace.js";
import { documentSnippetsOfFile } from "./document-snippets.js";

type Call = (
  baseUrl: string,
  headers: Record<string, string>,
) => Promise<{ error?: unknown; response: Response }>;

const snippets = documentSnippetsOfFile();
let calls: Record<number, Call>;
const workspaces = new Map<number, TestWorkspace>();

const templateOf = ({ path }: RouteCase) => path.replaceAll(/:(\w+)/g, "{$1}");
const idsFor = (each: RouteCase): Record<string, string> => ({
  ...(each.method === "get" ? full : workspaces.get(each.number)?.ids),
});

/** The members of a good request as the generated types have them. */
function parametersOf(each: RouteCase): object {
  const { searchParams } = new URL(requestOf(each, idsFor(each)), "http://gateway.example");
  const typed = (name: string, value: string) => {
    if (name === "start" || name === "end") return Number(value);
    return name === "alertId" ? [value] : value;
  };
  const query = Object.fromEntries([...searchParams].map(([name, value]) => [name, typed(name, value)]));
  const names = [...each.path.matchAll(/:(\w+)/g)].map(([, name]) => name as string);
  const path = Object.fromEntries(names.map((name) => [name, idsFor(each)[name]]));
  return { ...(names.length > 0 && { path }), ...(Object.keys(query).length > 0 && { query }) };
}

/** The code of a call; files of forms are typed as texts. */
function codeOf(each: RouteCase): string {
  const value = (member: unknown) =>
    member instanceof Uint8Array ? `picture(${JSON.stringify([...member])})` : JSON.stringify(member);
  const part = (member: unknown) =>
    value(typeof member === "object" && !(member instanceof Uint8Array) ? JSON.stringify(member) : member);
  const members = Object.entries(bodyOf(each)).map(
    ([name, member]) => `${name}: ${each.form ? part(member) : value(member)}`,
  );
  const body = each.sends ? `, body: { ${members.join(", ")} }` : "";
  const form = each.form ? ", bodySerializer: formOf" : "";
  const parse = each.body === "xlsx" ? ', parseAs: "arrayBuffer"' : "";
  const init = `{ params: ${JSON.stringify(parametersOf(each))}${body}${form}${parse} }`;
  return `  ${each.number}: (baseUrl: string, headers: Record<string, string>) =>
    createClient<paths>({ baseUrl, headers }).${each.method.toUpperCase()}("${templateOf(each)}", ${init}),`;
}

beforeAll(async () => {
  const { gateway } = snippets;
  await createFixedFleet(gateway.prisma);
  for (const { number, method } of routeCases)
    if (method !== "get") workspaces.set(number, await createTestWorkspace(gateway.prisma, number));
  await snippets.run("openapi-typescript", [`${gateway.url}/openapi.json`, "-o", "gateway.ts"]);
  await snippets.add(
    "calls.ts",
    `import createClient from "openapi-fetch";
import type { paths } from "./gateway.js";

const picture = (bytes: number[]) => new Blob([Uint8Array.from(bytes)]) as unknown as string;
const formOf = (body: object) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) form.set(name, value);
  return form;
};
export const calls = {
${routeCases.map(codeOf).join("\n")}
};
`,
  );
  await snippets.compile("rest-client.ts", "calls.ts");
  ({ calls } = await snippets.load<{ calls: Record<number, Call> }>("calls.js"));
});

it.each(routeCases.map(titled))(
  "a client generated from the OpenAPI document calls %s",
  async (_title, each) => {
    const workspace = workspaces.get(each.number);
    const authorization = await authorizationOf(workspace ? senderFor(each, workspace.admin) : admin);
    const { error, response } = await (calls[each.number] as Call)(
      snippets.gateway.url,
      authorization ? { authorization } : {},
    );
    expect({ status: response.status, error }).toEqual({ status: 200, error: undefined });
  },
);

test("the documented client lists the newest alerts, and reports errors", async () => {
  type Rest = { newestAlerts(start: Date, end: Date): Promise<{ createdAt: string }[]> };
  const { newestAlerts } = await snippets.load<Rest>("rest-client.js");
  const [epoch, now] = [new Date(0), new Date()];
  expect(await newestAlerts(epoch, now)).toHaveLength(20);
  await expect(newestAlerts(now, epoch)).rejects.toThrow("BAD_REQUEST: ");
});
