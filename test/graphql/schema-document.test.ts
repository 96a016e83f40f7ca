// Runs once: reads no data.
import { readFileSync } from "node:fs";
import {
  buildSchema,
  getNamedType,
  isInputObjectType,
  isObjectType,
  lexicographicSortSchema,
  printSchema,
} from "graphql";
import { sendRaw } from "../http/raw-request.js";
import { createTestUser } from "../support/factories.js";
import { gatewayForTest, sharedGateway } from "../support/harness.js";

const path = "/schema.graphql";
const gateway = await sharedGateway();

const normalized = (text: string) => printSchema(lexicographicSortSchema(buildSchema(text)));

it("is the schema of the repository, as text that every site may read without credentials", async () => {
  const { status, headers, text } = await sendRaw(gateway.url, { path });
  expect({
    status,
    type: headers["content-type"],
    origin: headers["access-control-allow-origin"],
    cache: headers["cache-control"],
  }).toEqual({
    status: 200,
    type: "text/plain; charset=utf-8",
    origin: "*",
    cache: "no-cache",
  });
  expect(normalized(text)).toBe(normalized(readFileSync("schema/schema.graphql", "utf8")));
});

it("lets only mutations take JSON and long integers, whose numbers are checked in the text of a body", () => {
  const schema = buildSchema(readFileSync("schema/schema.graphql", "utf8"));
  const mutation = schema.getMutationType();
  const fields = Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .filter((type) => type !== mutation && !type.name.startsWith("__"))
    .flatMap((type) => Object.values(type.getFields()));
  const taken = new Set(fields.flatMap(({ args }) => args.map(({ type }) => getNamedType(type))));
  for (const type of taken)
    if (isInputObjectType(type))
      for (const field of Object.values(type.getFields())) taken.add(getNamedType(field.type));
  expect([...taken].map(({ name }) => name)).toContain("AlertFilter");
  expect([...taken].filter(({ name }) => name === "JSONObject" || name === "SafeInt")).toEqual([]);
});

it("HEAD gets the headers of GET", async () => {
  const { headers } = await sendRaw(gateway.url, { path });
  const head = await sendRaw(gateway.url, { path, method: "HEAD" });
  const { "content-length": length, etag } = head.headers;
  expect({ status: head.status, text: head.text, length, etag }).toEqual({
    status: 200,
    text: "",
    length: headers["content-length"],
    etag: headers.etag,
  });
});

it("refuses POST and names the methods that there are", async () => {
  const { status, headers, text } = await sendRaw(gateway.url, { path, method: "POST" });
  expect({ status, allow: headers.allow, code: JSON.parse(text).code }).toEqual({
    status: 405,
    allow: "GET, HEAD",
    code: "METHOD_NOT_ALLOWED",
  });
});

it("in production, where introspection needs credentials needs them too", async () => {
  const production = await gatewayForTest({ environment: { NODE_ENV: "production" } });
  const anonymous = await production.fetch(path);
  expect({ status: anonymous.status, challenge: anonymous.headers.has("www-authenticate") }).toEqual({
    status: 401,
    challenge: true,
  });
  expect((await production.fetch(path, { as: { authorization: "Bearer x" } })).status).toBe(401);
  const { as } = await createTestUser(production.prisma, {});
  const authenticated = await production.fetch(path, { as });
  expect({ status: authenticated.status, text: await authenticated.text() }).toEqual({
    status: 200,
    text: await (await gateway.fetch(path)).text(),
  });
});
