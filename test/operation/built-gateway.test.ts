// Runs on the embedded database: what the bundler makes of the gateway does not depend on the kind of database.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { createClient } from "graphql-ws";
import { parseAst } from "vite";
import { WebSocket } from "ws";
import { uploadRequest } from "../support/forms.js";
import { authorizationOf, freshData } from "../support/harness.js";
import { addressOf, gatewaySettings, RunningCommand, runCommand } from "../support/running-command.js";
import { pictureAs } from "../uploads/sample-pictures.js";

let address: string;
let authorization: string;
beforeAll(async () => {
  const { variables, cleanUp } = await freshData("demo");
  const gateway = new RunningCommand("main", {
    environment: gatewaySettings({ ...variables, SEED: "demo" }),
  });
  address = await addressOf(gateway);
  authorization = (await authorizationOf({ user: "demo|admin" })) as string;
  return async () => {
    await gateway.kill();
    await cleanUp();
  };
});

async function answerTo(init: RequestInit) {
  const response = await fetch(`${address}/graphql`, {
    ...init,
    headers: { ...(init.headers as object), authorization },
  });
  return response.json();
}

const ask = (query: string, variables: object = {}) =>
  answerTo({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query, variables }),
  });

async function newFacility(name: string): Promise<string> {
  const { data } = await ask(
    `mutation ($name: String!) { createFacility(input: { name: $name, timeZoneId: "Asia/Tokyo" }) { id } }`,
    { name },
  );
  return data.createFacility.id;
}

it("refuses settings of each kind that are wrong, and names them all", async () => {
  const { code, errors } = await runCommand("main", {
    environment: gatewaySettings({
      PORT: "80a",
      SEED: "all",
      PUBLIC_URL: "http://",
      SMTP_URL: "smtp://mail:100%@mail.example",
      MAIL_FROM: "nobody",
      DATABASE_URL: "postgresql://gateway:100%@db.example/gateway",
      CORS_ORIGIN: "https://plant.example/path",
    }),
  });
  expect(code).toBe(1);
  expect(
    errors
      .match(/^ {2}[A-Z_]+(?= must )/gm)
      ?.map((name) => name.trim())
      .sort(),
  ).toEqual(["CORS_ORIGIN", "DATABASE_URL", "MAIL_FROM", "PORT", "PUBLIC_URL", "SEED", "SMTP_URL"]);
});

it("answers a query, and by REST", async () => {
  const { data } = await ask("{ me { authId } facilities { id } }");
  expect(data.me).toEqual({ authId: "demo|admin" });
  const cameras = await fetch(`${address}/cameras`, { headers: { authorization } });
  expect(cameras.status).toBe(200);
  expect(await cameras.json()).toHaveProperty("data.0.id");
});

it("stores an uploaded picture with a new camera, and sends it", async () => {
  const { data, errors } = await answerTo(
    uploadRequest({
      query: `mutation ($facilityId: UUID!, $input: CreateClientCameraInput!) {
        createClientCamera(facilityId: $facilityId, input: $input) { thumbnailUrl }
      }`,
      variables: { facilityId: await newFacility("Quay"), input: { name: "Yard" } },
      file: await pictureAs("png", 8, 6),
      variable: "input.image",
    }),
  );
  expect(errors).toBeUndefined();
  const { pathname, search } = new URL(data.createClientCamera.thumbnailUrl);
  const picture = await fetch(`${address}${pathname}${search}`);
  expect(picture.headers.get("content-type")).toMatch(/^image\//);
});

it("sends events over a WebSocket", async () => {
  const client = createClient({
    url: `${address.replace("http", "ws")}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization },
  });
  const heartbeats = client.iterate<{ facilityHeartbeat: { id: string } }>({
    query: "subscription { facilityHeartbeat { id } }",
  });
  const next = heartbeats.next();
  await expect
    .poll(async () => (await fetch(`${address}/metrics`)).text())
    .toMatch(/^gateway_subscriptions_open\S* 1$/m);
  const facilityId = await newFacility("Pier");
  await ask("mutation ($id: UUID!) { recordHeartbeat(facilityId: $id) { id } }", { id: facilityId });
  expect((await next).value?.data).toEqual({ facilityHeartbeat: { id: facilityId } });
  await client.dispose();
});

it.each([["/"], ["/graphql"], ["/docs"]])("serves the page %s with all its files", async (page) => {
  const response = await fetch(address + page, { headers: { accept: "text/html" } });
  expect(response.headers.get("content-type")).toMatch(/^text\/html/);
  const html = await response.text();
  const files = Array.from(html.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css|svg))"/g), ([, file]) => file);
  expect(files.join()).toMatch(/\.js/);
  for (const file of files) {
    const answer = await fetch(address + file);
    expect([file, answer.status]).toEqual([file, 200]);
    expect(answer.headers.get("content-type")).toMatch(/javascript|css|svg/);
  }
});

it.each([["/openapi.json"], ["/schema.graphql"], ["/favicon.svg"], ["/healthz"], ["/readyz"]])(
  "serves %s",
  async (document) => {
    const response = await fetch(address + document, { headers: { authorization } });
    expect(response.status).toBe(200);
    expect(await response.text()).not.toBe("");
  },
);

/** Whether a part of a syntax tree, such as a call, may throw. */
function mayThrow(node: unknown): boolean {
  if (typeof node !== "object" || node === null) return false;
  const { type } = node as { type?: string };
  if (
    type &&
    /^(?:Call|New|Binary|Member|Await|Yield|Chain|TaggedTemplate|Import)Expression$|^ThrowStatement$/.test(
      type,
    )
  )
    return true;
  return Object.values(node).some(mayThrow);
}

/** The beginnings of the `try` blocks of a syntax tree in which nothing may throw. */
function emptiedBlocks(node: unknown, code: string): string[] {
  if (typeof node !== "object" || node === null) return [];
  const below = Object.values(node).flatMap((each) => emptiedBlocks(each, code));
  const { type, block, start } = node as { type?: string; block?: unknown; start: number };
  return type === "TryStatement" && !mayThrow(block) ? [code.slice(start, start + 80), ...below] : below;
}

it("in each try of dist, except in packages, the bundler left something that may throw", () => {
  const files = readdirSync("dist", { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".js") && !name.startsWith("node_modules"),
  );
  expect(files).toContain("main.js");
  const emptied = files.flatMap((name) => {
    const code = readFileSync(path.join("dist", name), "utf8");
    return emptiedBlocks(parseAst(code), code).map((block) => `${name}: ${block}`);
  });
  expect(emptied).toEqual([]);
});
