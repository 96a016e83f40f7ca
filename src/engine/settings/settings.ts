import { z } from "zod";
import { access } from "./access.js";
import { cameras } from "./cameras.js";
import { database } from "./database.js";
import { demo } from "./demo.js";
import { files } from "./files.js";
import { limits } from "./limits.js";
import { monitoring } from "./monitoring.js";
import { notifications } from "./notifications.js";
import { retention } from "./retention.js";
import { server } from "./server.js";
import type { CombinationIssue, SettingDescription } from "./setting.js";

export const settingGroups = {
  server,
  database,
  access,
  files,
  cameras,
  notifications,
  retention,
  limits,
  monitoring,
  demo,
};

/** The rules of all settings, in the order in which errors are reported. */
export const settings = z.object({
  ...server,
  ...database,
  ...access,
  ...files,
  ...cameras,
  ...notifications,
  ...retention,
  ...limits,
  ...monitoring,
  ...demo,
});

export const settingNames = Object.keys(settings.shape);

export const descriptionOf = (name: string): SettingDescription =>
  z.globalRegistry.get(settings.shape[name as keyof Settings]) as unknown as SettingDescription;

export const exampleOf = (name: string): string => descriptionOf(name).example;

export type Settings = z.infer<typeof settings>;

export const presentOf = (variables: NodeJS.ProcessEnv) =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ""));

export function validated<Output>(
  some: z.ZodType<Output>,
  present: Record<string, string | undefined>,
  together: readonly CombinationIssue[],
): Output {
  const parsed = some.safeParse(present);
  // The first of each.
  const issues = new Map(
    (parsed.error?.issues ?? [])
      .toReversed()
      .map(({ path: [name], message }) => [String(name), `${String(name)} ${message}`]),
  );
  const lines = [
    ...Array.from(issues, ([name, message]) => withExamples(message, [name])).toReversed(),
    ...together.map(({ message, mendedBy }) => withExamples(message, mendedBy)),
  ];
  if (!parsed.success || lines.length > 0)
    throw new Error(`Invalid settings:\n${lines.map((line) => `  ${line}`).join("\n")}`);
  return parsed.data;
}

export const withExamples = (message: string, names: readonly string[]) =>
  names.length === 0
    ? message
    : `${message}, for example ${names.map((name) => `${name}=${exampleOf(name)}`).join(" ")}`;
