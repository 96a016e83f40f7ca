// Needs no gateway.
import { readdirSync, readFileSync } from "node:fs";
import { buildSchema } from "graphql";

it("docs/console.md says where people find each mutation that the console sends, and who calls the others", () => {
  const schema = buildSchema(readFileSync("schema/schema.graphql", "utf8"));
  const mutations = Object.keys(schema.getMutationType()?.getFields() ?? {});
  const sources = readdirSync("src/console", { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(?:graphql|ts)$/.test(file))
    .map((file) => readFileSync(`src/console/${file}`, "utf8"));
  const sent = new Set(
    sources.flatMap((text) => [...text.matchAll(/\bmutation \w+[^{]*\{\s*(\w+)/g)].map(([, name]) => name)),
  );
  const [people = "", programs = ""] = readFileSync("docs/console.md", "utf8").split("for programs alone?");
  const named = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => name).sort();
  expect(named(people, /(?<=[|,] )`(\w+)`/g)).toEqual(mutations.filter((name) => sent.has(name)).sort());
  expect(named(programs, /^\| `(\w+)`/gm)).toEqual(mutations.filter((name) => !sent.has(name)).sort());
});
