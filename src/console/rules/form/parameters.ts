import type { Texts } from "../../form/field.js";
import { type RuleNode, withChanges, withFields } from "../rule-node.js";

/** The texts of the fields for the parameters of a rule's only detection. */
export function parameterTexts(tree: RuleNode, detection: RuleNode): Texts {
  const { minCount, maxCount, minSeconds, minConfidence, attributes } = detection;
  return {
    minCount: textOf(minCount),
    maxCount: textOf(maxCount),
    minSeconds: textOf(minSeconds),
    confidence: typeof minConfidence === "number" ? textOf(percentOf(minConfidence)) : "",
    attributes: attributesText(attributes),
    cooldown: textOf(tree.cooldownSeconds),
  };
}

/** A tree with the parameters that the form says; those that it shows as they are stay. */
export function withParameters(tree: RuleNode, detection: RuleNode, texts: Texts): RuleNode {
  const before = parameterTexts(tree, detection);
  const changed = <Value>(field: string, value: Value, kept: unknown) =>
    (texts[field] ?? "") === before[field] ? (kept as Value) : value;
  const confidence = numberIn(texts.confidence);
  const parameters = {
    minCount: numberIn(texts.minCount),
    maxCount: numberIn(texts.maxCount),
    minSeconds: numberIn(texts.minSeconds),
    minConfidence: changed(
      "confidence",
      confidence === undefined ? undefined : confidence / 100,
      detection.minConfidence,
    ),
    attributes: changed("attributes", attributesIn(texts.attributes ?? ""), detection.attributes),
  };
  const root = withChanges(tree, { cooldownSeconds: numberIn(texts.cooldown) });
  return withFields(root, detection.id as string, parameters);
}

const textOf = (value: unknown) => (typeof value === "number" ? String(value) : "");
const numberIn = (text: string | undefined) => (text ? Number(text) : undefined);
/** A share in percent, without the errors of multiplying fractions. */
const percentOf = (share: number) => Number((share * 100).toFixed(6));

/** Attributes as lines such as `helmet = false`. */
const attributesText = (attributes: unknown): string =>
  Object.entries((attributes ?? {}) as Record<string, unknown>)
    .map(([name, value]) => `${name} = ${isPlain(value) ? value : JSON.stringify(value)}`)
    .join("\n");

/** Whether a text is read again as it is written. */
const isPlain = (value: unknown) => typeof value === "string" && valueIn(value) === value;

/** The attributes in lines such as `helmet = false`; undefined if there are none. */
function attributesIn(text: string): Record<string, unknown> | undefined {
  const entries = text.split("\n").flatMap((line): [string, unknown][] => {
    const [name = "", ...value] = line.split("=");
    return line.trim() === "" ? [] : [[name.trim(), valueIn(value.join("=").trim())]];
  });
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}

/** A number, true, false or a quoted text as JSON has them; otherwise the text itself. */
function valueIn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" ? text : value;
  } catch {
    return text;
  }
}
