import { accessSync, constants, statSync } from "node:fs";
import { z } from "zod";
import { codeOf } from "../../platform/thrown.js";

/** What `docs/settings.md` says of a setting besides its rule. */
export interface SettingDescription {
  /** A value that works. The message about an invalid or missing setting shows it, too. */
  example: string;
  /** What the setting does, in Markdown, as is `unset`. */
  description: string;
  /** What holds without the setting, if its rule has no default. */
  unset?: string;
}

/** What is wrong with settings together, and the names of those that it can be mended by. */
export interface CombinationIssue {
  message: string;
  mendedBy: readonly string[];
}

/** A rule with its description. A setting with `unset` may be missing. */
export function setting<Rule extends z.ZodType>(
  description: SettingDescription & { unset: string },
  rule: Rule,
): z.ZodOptional<Rule>;
export function setting<Rule extends z.ZodType>(description: SettingDescription, rule: Rule): Rule;
export function setting(description: SettingDescription, rule: z.ZodType): z.ZodType {
  return (description.unset === undefined ? rule : z.optional(rule)).meta({ ...description });
}

export const exampleSecret = "$(openssl rand -hex 32)";

export function fileIssue(text: string): string | undefined {
  try {
    accessSync(text, constants.R_OK);
    return statSync(text).isFile() ? undefined : `must name a file: ${text} is not one`;
  } catch (error) {
    return `must name a readable file: reading ${text} failed with ${codeOf(error)}`;
  }
}
