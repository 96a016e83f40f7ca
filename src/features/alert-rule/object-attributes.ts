import { z } from "zod";
import { satisfies } from "../../platform/input/rule-check.js";
import { optionalText, printableText } from "../../platform/input/text-rules.js";
import { isRecord } from "../../platform/record.js";

/** What detectors report about an object besides its label, such as `{"helmet": false}`. */
export type ObjectAttributes = Readonly<Record<string, AttributeValue>>;

export type AttributeValue = string | number | boolean;

const maxAttributes = 20;
const attributeName = printableText(100);
const attributeText = optionalText(200);

export const attributeLimits = `at most ${maxAttributes}, with names of 1 to 100 printable characters, and values that are texts of at most 200 characters, numbers or booleans`;

/** The rules for attributes. Not a `z.record`, which neither checks nor keeps a field named `__proto__`. */
export const objectAttributes = z
  .custom<ObjectAttributes>(isRecord, "must be an object")
  .superRefine((attributes, { addIssue }) => {
    const entries = Object.entries(attributes);
    if (entries.length > maxAttributes)
      addIssue({ code: "custom", message: `must have at most ${maxAttributes} fields` });
    else
      for (const [name, value] of entries) {
        const problem = problemOf(attributeName, name) ?? valueProblem(value);
        if (problem !== undefined) addIssue({ code: "custom", path: [name], message: problem });
      }
  });

function valueProblem(value: unknown): string | undefined {
  if (typeof value === "string") return problemOf(attributeText, value);
  if (typeof value === "boolean" || Number.isFinite(value)) return undefined;
  return "must be a text, a number or a boolean";
}

const problemOf = (rule: z.ZodString, value: string): string | undefined =>
  satisfies(rule, value) ? undefined : rule.safeParse(value).error?.issues[0]?.message;
