// Writes docs/console.md from the console's own documents: npm run generate.
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { en } from "./console/language/en.js";
import { calledByPrograms, mutationPlaces } from "./mutation-places.js";

const directory = fileURLToPath(new URL("../docs", import.meta.url));

const code = (text: string) => `\`${text}\``;
const rowOf = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
const table = (headings: readonly string[], rows: readonly string[][]) =>
  [rowOf(headings), `|${"---|".repeat(headings.length)}`, ...rows.map(rowOf)].join("\n");

const inConsole = table(
  ["Mutation", "Where", "Operation", "Files in `src/console`"],
  mutationPlaces().map(({ mutation, where, operation, files }) => [
    code(mutation),
    where.join(", "),
    code(operation),
    files.map(code).join(", "),
  ]),
);
const byPrograms = table(
  ["Mutation", "Who calls it"],
  Object.entries(calledByPrograms).map(([mutation, reason]) => [code(mutation), reason]),
);

mkdirSync(directory, { recursive: true });
writeFileSync(
  `${directory}/console.md`,
  `<!-- Written by npm run generate from src/console and src/mutation-places.ts. -->
# The console and the API

The console uses the public API alone, so programs can do everything that people do there. To see the queries of a view,
press \`q\` or choose “${en.apiCalls.show}”.

## Where in the console is each mutation?

${inConsole}

## Which mutations are for programs alone?

${byPrograms}
`,
);
