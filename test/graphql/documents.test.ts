// Runs once: no database can influence what is tested here.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createTestUser } from "../support/factories.js";
import { ownGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";

const maxBytes = 64 * 1024;

const gateway = await ownGateway();

const reader = (await createTestUser(gateway.prisma, { roles: ["alerts:read"] })).as;

interface FoundError {
  message: string;
  locations?: { line: number; column: number }[];
  path?: string[];
  extensions: { code: string };
}

/** The errors of a document that nobody needs credentials for. */
async function errorsOf(query: string): Promise<FoundError[]> {
  return ((await gateway.graphql(query)).errors ?? []) as FoundError[];
}

const list = (count: number, item: (index: number) => string) =>
  listOf(count, (index) => item(index)).join(" ");

describe("a document", () => {
  const sized = (bytes: number, padding: string) => {
    const start = "{ __typename } #";
    const count = Math.floor((bytes - start.length) / Buffer.byteLength(padding));
    const text = start + padding.repeat(count);
    return text + "#".repeat(bytes - Buffer.byteLength(text));
  };

  it.each([
    ["ASCII", "#"],
    ["characters of several bytes", "é"],
  ])("of 64 KiB is run, and one byte more is refused, of %s", async (_what, padding) => {
    expect(await gateway.graphql(sized(maxBytes, padding))).toMatchObject({
      status: 200,
      data: { __typename: "Query" },
    });
    const { status, errors } = await gateway.graphql(sized(maxBytes + 1, padding));
    expect([status, errors]).toEqual([
      413,
      [{ message: "A document has at most 65536 bytes", extensions: { code: "PAYLOAD_TOO_LARGE" } }],
    ]);
  });

  it("does not keep its comments", async () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const used = () => {
      collect();
      return process.memoryUsage().heapUsed;
    };
    const before = used();
    // For the parser, each comment is a separate object of about 90 bytes.
    for (let index = 0; index < 60; index += 1)
      await gateway.graphql(`{ __typename } #${index}${"\n#".repeat(32_000)}`);
    expect(used() - before).toBeLessThan(60 * 1024 ** 2);
  });

  it("may select the same field any number of times", async () => {
    const { data } = await gateway.graphql<object>(`{ ${"workspace { name } ".repeat(1200)} }`, {
      as: reader,
    });
    expect(data).toEqual({ workspace: { name: "Workspace" } });
  });

  it("may not select different fields under the same name", async () => {
    const [error] = await errorsOf(
      "{ ...A workspace { name } } fragment A on Query { workspace { name: id } }",
    );
    expect(error?.message).toMatch(
      /^Fields "workspace" conflict because subfields "name" conflict because "name" and "id" are different fields/,
    );
  });

  it.each([
    [
      "selects different fields of the same name too often",
      `{ a: __typename a: me { id } ${"workspace { id } ".repeat(1200)} }`,
    ],
    [
      "spreads fragments too often",
      `{ workspace { ...A0 } } ${list(
        20,
        (index) =>
          `fragment A${index} on Workspace { a: facilities { ...B${index} } b: facilities { ...B${index} } } fragment B${index} on Facility { workspace { ...A${index + 1} } }`,
      )} fragment A20 on Workspace { id }`,
    ],
  ])("that %s is refused", async (reason, document) => {
    expect(await errorsOf(document)).toEqual([
      expect.objectContaining({
        message: `The document is too complex: it ${reason}`,
        extensions: { code: "GRAPHQL_VALIDATION_FAILED" },
      }),
    ]);
  });
});

describe("errors of a document", () => {
  it.each(["\n", "\r\n", "\r"])("have their line and column after lines that end with %j", async (end) => {
    const query = `${end.repeat(20_000)}  { nothing\n me { other } }`;
    expect((await errorsOf(query)).map(({ locations }) => locations)).toEqual([
      [{ line: 20_001, column: 5 }],
      [{ line: 20_002, column: 7 }],
    ]);
    expect((await errorsOf(`${end.repeat(20_000)}{`)).map(({ locations }) => locations)).toEqual([
      [{ line: 20_001, column: 2 }],
    ]);
  });

  it("are at most 20", async () => {
    const errors = await errorsOf(`{ ${list(100, (index) => `nothing${index}`)} }`);
    expect(errors.map(({ locations }) => locations?.length)).toEqual(Array(20).fill(1));
  });

  it("name at most 20 places", async () => {
    const [error] = await errorsOf(`query (${"$v: Int ".repeat(1000)}) { __typename }`);
    expect(error?.message).toBe('There can be only one variable named "$v".');
    expect(error?.locations?.slice(0, 2)).toEqual([
      { line: 1, column: 9 },
      { line: 1, column: 17 },
    ]);
    expect(error?.locations).toHaveLength(20);
  });

  it("quote at most 1,000 characters", async () => {
    const [error] = await errorsOf(`{ ${"x".repeat(60_000)} }`);
    expect(error?.message).toMatch(/^Cannot query field "x+…$/);
    expect(error?.message).toHaveLength(1001);
  });

  it("in which fragments spread themselves in long circles are reported as well", async () => {
    const errors = await errorsOf(
      `{ ...A0 } ${list(400, (index) => `fragment A${index} on Query { ...A${(index + 1) % 400} ...A${(index + 2) % 400} }`)}`,
    );
    expect(errors[0]?.extensions.code).toMatch(/^GRAPHQL_/);
  });
});
