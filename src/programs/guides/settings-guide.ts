// Writes docs/settings.md from the descriptions and rules of the settings.
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { descriptionOf, settingGroups, settings } from "../../engine/settings/settings.js";
import { defined } from "../../platform/defined.js";
import { entriesOf } from "../../platform/record.js";

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

/** What an operator sets on the first day. The guide folds all others. */
const firstDay: readonly (keyof typeof settings.shape)[] = [
  "NODE_ENV",
  "PORT",
  "HOST",
  "PUBLIC_URL",
  "TRUST_PROXY",
  "DATABASE_URL",
  "AUTH_JWT_SECRET",
  "AUTH_ISSUER",
  "AUTH_AUDIENCE",
  "CONSOLE_CLIENT_ID",
  "LINK_SECRET",
  "SUPPORT_HASH_SECRET",
  "DATA_DIR",
  "S3_BUCKET",
  "CAMERA_ALLOWED_NETWORKS",
  "SMTP_URL",
  "MAIL_FROM",
];

const introduction = `# Settings

Settings are environment variables; an empty one counts as unset. The gateway checks all of them at start and reports
every problem in one message, with an example. Percent-encode special characters in the user or password of a URL.

Below is what you set on the first day; [Operators](operators.md#which-settings-do-i-need) says which of it is required.
The rest has defaults that suit most, and is folded under the names of the settings.
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
  const schema = defined(schemas[name]);
  const cells = [
    code(name),
    schema.default === undefined ? unset : code(schema.default),
    code(example),
    allowedBy(schema),
    description,
  ];
  return `| ${cells.join(" | ")} |`;
}

const tableOf = (names: string[]): string =>
  `| Setting | Default | Example | Allowed | What it does |\n|---|---|---|---|---|\n${names.map(rowOf).join("\n")}\n`;

const foldOf = (names: string[]): string =>
  `<details>\n<summary>${names.map((name) => `<code>${name}</code>`).join(", ")}</summary>\n\n${tableOf(names)}\n</details>\n`;

const sections = entriesOf(settingGroups).map(([group, rules]) => {
  const shown = Object.keys(rules).filter((name) => firstDay.some((each) => each === name));
  const folded = Object.keys(rules).filter((name) => !shown.includes(name));
  const parts = [
    `## ${headings[group]}\n`,
    ...(shown.length > 0 ? [tableOf(shown)] : []),
    ...(folded.length > 0 ? [foldOf(folded)] : []),
  ];
  return `\n${parts.join("\n")}`;
});

const directory = fileURLToPath(new URL("../../../docs", import.meta.url));
mkdirSync(directory, { recursive: true });
writeFileSync(
  `${directory}/settings.md`,
  `<!-- Written by npm run generate from src/engine/settings. -->\n${introduction}${sections.join("")}`,
);
