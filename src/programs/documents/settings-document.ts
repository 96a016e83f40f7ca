// Writes docs/settings.md from the descriptions and rules of the settings: npm run
// generate.
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { descriptionOf, settingGroups, settings } from "../../engine/settings/settings.js";

/** The heading of each group, in the order of the document. */
const headings: Record<keyof typeof settingGroups, string> = {
  server: "How is the gateway reached?",
  database: "Which database and Redis does it use?",
  access: "Who gets in?",
  files: "Where are pictures kept?",
  cameras: "When are cameras and facilities offline, and who opens streams?",
  notifications: "How are notifications sent?",
  retention: "How long is data kept?",
  limits: "What may a client do?",
  monitoring: "How is it watched?",
  demo: "How does the demo behave?",
};

const introduction = `# Settings

Settings are environment variables; an empty one counts as unset. The gateway validates all of them at start and reports every problem in one
message, each with an example. Percent-encode special characters in the user or the password of a URL.

[How to run the gateway](operators.md) says which ones you need.
`;

/** What JSON Schema says of a value after it was read. */
interface Schema {
  default?: unknown;
  minimum?: number;
  maximum?: number;
  enum?: string[];
}

const schemas = z.toJSONSchema(settings, { io: "output", unrepresentable: "any" }).properties as Record<
  string,
  Schema
>;

const code = (text: unknown) => `\`${text}\``;

function allowedBy({ minimum, maximum, enum: words }: Schema): string {
  if (words) return words.map(code).join(", ");
  return minimum === undefined ? "" : `${minimum} to ${maximum}`;
}

function rowOf(name: string): string {
  const { example, unset, description } = descriptionOf(name);
  const schema = schemas[name] as Schema;
  const cells = [
    code(name),
    schema.default === undefined ? unset : code(schema.default),
    code(example),
    allowedBy(schema),
    description,
  ];
  return `| ${cells.join(" | ")} |`;
}

const sections = Object.entries(settingGroups).map(([group, rules]) => {
  const heading = headings[group as keyof typeof settingGroups];
  const rows = Object.keys(rules).map(rowOf);
  return `\n## ${heading}\n\n| Setting | Default | Example | Allowed | What it does |\n|---|---|---|---|---|\n${rows.join("\n")}\n`;
});

const directory = fileURLToPath(new URL("../../../docs", import.meta.url));
mkdirSync(directory, { recursive: true });
writeFileSync(
  `${directory}/settings.md`,
  `<!-- Written by npm run generate from src/engine/settings/environment. -->\n${introduction}${sections.join("")}`,
);
