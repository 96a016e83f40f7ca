import { type ParseArgsConfig, parseArgs } from "node:util";
import { keysOf } from "../../../platform/record.js";
import { messageOf } from "../../../platform/thrown.js";

/** A program was called in a way that it does not know. */
class UsageError extends Error {}

/** The values of the options that a program has besides those of all connectors. */
export type OptionValues = Readonly<Record<string, string | undefined>>;

export interface CommandLine {
  action: "run" | "check" | "dryRun" | "schema";
  file: string;
  values: OptionValues;
}

const sharedOptions = {
  check: { type: "boolean" },
  "dry-run": { type: "boolean" },
  schema: { type: "boolean" },
} as const satisfies ParseArgsConfig["options"];

/** Reads a command line. `options` are those of this connector with a value, each with its name in the usage. */
export function readCommandLine(
  command: string,
  parameters: string[],
  options: Readonly<Record<string, string>> = {},
): CommandLine {
  const own = Object.entries(options).map(([name, value]) => ` [--${name} ${value}]`);
  const usage = `Usage: npm run ${command} -- <config.json> [--check | --dry-run]${own.join("")}, or npm run ${command} -- --schema`;
  const { values, positionals } = parsed(parameters, Object.keys(options), usage);
  const { check, "dry-run": dryRun, schema, ...others } = values;
  const actions = { check, dryRun, schema };
  const chosen = keysOf(actions).filter((name) => actions[name] !== undefined);
  const [file, ...more] = positionals;
  if (chosen.length > 1 || more.length > 0 || (file === undefined) !== (schema === true))
    throw new UsageError(usage);
  const [action = "run"] = chosen;
  return { action, file: file ?? "", values: others as OptionValues };
}

function parsed(parameters: string[], own: string[], usage: string) {
  const ownOptions = Object.fromEntries(own.map((name) => [name, { type: "string" as const }]));
  try {
    return parseArgs({
      args: parameters,
      options: { ...sharedOptions, ...ownOptions },
      allowPositionals: true,
    }) as { values: Record<string, string | boolean | undefined>; positionals: string[] };
  } catch (error) {
    throw new UsageError(`${messageOf(error)}\n${usage}`);
  }
}
