// Runs once: no database can influence what is tested here.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, it } from "vitest";
import { sendRaw } from "../http/raw-request.js";
import { dataForTest } from "../support/harness.js";
import { addressOf, gatewaySettings, startCommand } from "../support/running-command.js";
import { exportedIds } from "./exports.js";

interface Line {
  level: string;
  msg: string;
  requestId?: string;
  rows?: number;
  milliseconds?: number;
  req?: { id: string; method: string; url: string };
  res?: { statusCode: number };
}

it("the log records exports but never the ticket, even at trace level", async () => {
  const variables = await dataForTest("demo");
  const key = (await readFile(path.join(variables.DATA_DIR as string, "demo-api-key"), "utf8")).trim();
  const gateway = startCommand("main", { environment: gatewaySettings({ ...variables, LOG_LEVEL: "trace" }) });
  const address = await addressOf(gateway);
  const headers = { authorization: `Basic ${Buffer.from(`${key}:`).toString("base64")}`, "content-type": "application/json" };
  const day = 86_400_000;
  const [start, end] = [Date.now() - 3 * day, Date.now()];
  const direct = await sendRaw(address, { path: `/alerts/export?start=${start}&end=${end}`, headers });
  const period = `start: "${new Date(start).toISOString()}", end: "${new Date(end).toISOString()}"`;
  const query = `{ exportAlerts(filter: { ${period} }) { url } }`;
  const { text } = await sendRaw(address, { method: "POST", path: "/graphql", headers, body: JSON.stringify({ query }) });
  const ticket = new URL(JSON.parse(text).data.exportAlerts.url).searchParams.get("ticket") as string;
  const linked = await sendRaw(address, { path: `/alerts/export?ticket=${ticket}` });
  const forged = await sendRaw(address, { path: `/alerts/export?more=1&ticket=${ticket}x` });
  await sendRaw(address, { path: `/alerts/export?TICKET=${ticket}` });
  expect([direct.status, linked.status, forged.status]).toEqual([200, 200, 404]);
  gateway.signal("SIGTERM");
  const { code, output, errors } = await gateway.ended;
  expect(code).toBe(0);

  const rows = (await exportedIds(direct.body)).length;
  expect(rows).toBeGreaterThan(0);
  const lines = output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Line);
  const idOf = (response: typeof direct) => response.headers["x-request-id"];
  const sent = lines.filter(({ msg }) => msg === "export sent");
  const line = (response: typeof direct) => ({ level: "info", requestId: idOf(response), rows, milliseconds: expect.any(Number) });
  expect(sent).toEqual([expect.objectContaining(line(direct)), expect.objectContaining(line(linked))]);
  const requestLine = lines.find(({ req }) => req?.id === idOf(linked));
  expect(requestLine).toMatchObject({ req: { url: "/alerts/export?ticket=***" }, res: { statusCode: 200 } });
  // Not even a part of it that is secret.
  const [, content, signature] = ticket.split(".") as [string, string, string];
  const leaks = `${output}${errors}`.split("\n").filter((each) => [content.slice(0, 40), signature.slice(0, 20)].some((part) => each.includes(part)));
  expect(leaks).toEqual([]);
});
