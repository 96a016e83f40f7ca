import { print } from "graphql";
import type { FixedTool } from "../../src/api/mcp/tool.js";
import { tools } from "../../src/api/mcp/tools.js";
import { listOf } from "../support/list-of.js";
import type { BenchCase, BenchRun } from "./bench-case.js";
import { cpuRatios, measureInTurns, Side } from "./cpu-comparison.js";
import { idKinds, idOf } from "./dataset-ids.js";
import { type HttpRequest, type LoadResult, sendRequests } from "./load.js";
import { median, round } from "./measured-process.js";
import { PostgresqlBackends } from "./postgresql-backends.js";
import { type Figure, figure } from "./report.js";
import { cameraOf, connections, distinctRequests, graphql, period, sideFigures } from "./requests.js";

/** How many times the CPU time of the same operation by GraphQL a call may take. */
const atMost = 1.5;

interface ToolCase {
  requestCount: number;
  given: (n: number) => Record<string, unknown>;
}

const cases: Record<string, ToolCase> = {
  find_cameras: { requestCount: 320, given: (n) => ({ facility_id: idOf(idKinds.facility, (n % 20) + 1) }) },
  list_alerts: { requestCount: 320, given: (n) => period(30, n).filter },
  list_alert_rules: { requestCount: 480, given: (n) => ({ camera_id: cameraOf(n) }) },
  alert_statistics: {
    requestCount: 320,
    given: (n) => ({ ...period(7, n).filter, group_by: ["type", "severity"] }),
  },
};

/** Calls of tools by assistants, in turns with the same operations by GraphQL. */
export const benchMcp: BenchCase = async (run) => {
  const session = await beginSession(run);
  const backends = await PostgresqlBackends.connect(run.database);
  const figures: Figure[] = [];
  try {
    for (const [name, each] of Object.entries(cases))
      figures.push(...(await compare(name, each, session, run, backends)));
  } finally {
    await backends.close();
  }
  return figures;
};

async function beginSession({ gateway, authorization }: BenchRun): Promise<string> {
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "bench", version: "1" },
  };
  const response = await fetch(`${gateway.url}/mcp`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }),
  });
  const session = response.headers.get("mcp-session-id");
  if (session === null) throw new Error(`/mcp returned ${response.status}: ${await response.text()}`);
  return session;
}

async function compare(
  name: string,
  { requestCount, given }: ToolCase,
  session: string,
  { gateway, authorization, repetitions }: BenchRun,
  backends: PostgresqlBackends,
): Promise<Figure[]> {
  const tool = tools.find((each) => each.name === name) as FixedTool;
  const all = listOf(distinctRequests, (n) => given(n));
  const calls = all.map((given): HttpRequest => {
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } };
    const headers = { authorization, "mcp-session-id": session };
    return { method: "POST", path: "/mcp", headers, body: JSON.stringify(body) };
  });
  const document = print(tool.operation);
  const twins = all.map((given) => {
    const circumstances = { position: undefined, now: new Date() };
    const variables = tool.variables(tool.input.parse(given) as never, circumstances) as object;
    return { ...graphql(document, variables), headers: { authorization } };
  });
  const side = (requests: HttpRequest[]) =>
    new Side<LoadResult>(gateway, [backends], () =>
      sendRequests(gateway.url, requests, { connections, amount: requestCount }),
    );
  const sides = { tool: side(calls), twin: side(twins) };
  await measureInTurns(Object.values(sides), { units: requestCount, repetitions });
  return [
    figure(
      `${name}: CPU relative to the same operation by GraphQL`,
      round(median(cpuRatios(sides.tool, sides.twin))),
      "×",
      { atMost },
    ),
    ...sideFigures(name, sides.tool),
    ...sideFigures(`${name} by GraphQL`, sides.twin),
  ];
}
