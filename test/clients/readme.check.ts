import { readFile } from "node:fs/promises";
import { documentSnippetsOfFile } from "./document-snippets.js";

const snippets = documentSnippetsOfFile();

/** The first code block of the README in a language that contains a text. */
async function block(language: string, containing: string): Promise<string> {
  const readme = await readFile("README.md", "utf8");
  const found = [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(
    ([, text = ""]) => text,
  );
  return found.find((text) => text.includes(containing)) as string;
}

interface Answer {
  data: {
    facilities: {
      name: string;
      cameras: { name: string; alerts: { nodes: { name: string; localCreatedAt: string }[] } }[];
    }[];
  };
}

/** A camera without its alerts, which differ each time: only their fields are known. */
const withoutAlerts = ({ alerts, ...camera }: Answer["data"]["facilities"][0]["cameras"][0]) => ({
  ...camera,
  fields: alerts.nodes.map((alert) => Object.keys(alert)),
});

test("the query of the README is answered as it shows", async () => {
  const shown = JSON.parse(await block("json", '"facilities"')) as Answer;
  const [facility] = shown.data.facilities;
  const [camera] = facility?.cameras ?? [];
  const data = await snippets.ask<Answer["data"]>(await block("graphql", "facilities"));
  const answered = data.facilities.find(({ name }) => name === facility?.name);
  expect({ ...answered, cameras: [] }).toEqual({ ...facility, cameras: [] });
  const found = answered?.cameras.find(({ name }) => name === camera?.name);
  expect(found && withoutAlerts(found)).toEqual(camera && withoutAlerts(camera));
});

test("the REST call of the README returns the newest alert", async () => {
  const { host } = new URL(snippets.gateway.url);
  const output = await snippets.run("sh", [
    "-c",
    (await block("sh", "curl")).replace("localhost:4000", host),
  ]);
  expect(JSON.parse(output)).toMatchObject({
    status: "ok",
    data: { count: 1, alerts: [{ id: expect.any(String) }] },
  });
});
