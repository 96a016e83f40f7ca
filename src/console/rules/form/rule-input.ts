import type { CameraRuleFragment, UpdateAlertRuleInput } from "../../../generated/console.js";
import { defined } from "../../../platform/defined.js";
import { randomUuid } from "../../../platform/ids/random-uuid.js";
import type { Texts } from "../../form/field.js";
import { linesOf } from "../../form/lines.js";
import { areasIn, areasOf, areasText, minCorners, withAreas } from "../areas.js";
import { detectionsOf, type RuleNode, withChanges, withFields } from "../rule-node.js";
import { hoursOf, timeRangeOf, weekdays } from "../schedule.js";
import { type Preset, presets, wholePicture } from "./presets.js";

export const dayField = (day: number) => `day ${day}`;

/** The days of the week that are chosen, ascending. */
export const daysOf = (texts: Texts): number[] =>
  weekdays.filter((day) => dayField(day) in texts).sort((one, other) => one - other);

/** The texts of the fields at the start: of a rule, or of a new one with this tree. */
export function startTexts(rule: CameraRuleFragment | undefined, tree: RuleNode, timeZone: string): Texts {
  const hours = hoursOf(rule?.timeRange, timeZone);
  return {
    ...conditionTexts(tree),
    areas: rule && areasText(areasOf(tree)),
    alertName: rule?.name ?? "",
    severity: rule?.severity ?? "MEDIUM",
    emails: rule?.emails.join("\n"),
    phoneNumbers: rule?.phoneNumbers.join("\n"),
    webhook: rule?.apiNotification?.url,
    ...Object.fromEntries((rule?.dayRange ?? weekdays).map((day) => [dayField(day), "on"])),
    from: hours?.from ?? "",
    to: hours?.to ?? "",
    ...ticked("observation", rule?.observation ?? false),
    // The gateway looks for what a new rule describes, unless somebody says that a detector does.
    ...ticked("evaluated", rule?.evaluated ?? true),
    ...ticked("active", (rule?.status ?? "ACTIVE") === "ACTIVE"),
    ...ticked("webhookEnabled", rule?.apiNotification?.enabled ?? true),
    // A new webhook is signed unless its reader does not want that.
    ...ticked("newSecret", !rule?.apiNotification),
  };
}

const ticked = (field: string, isTicked: boolean): Texts => (isTicked ? { [field]: "on" } : {});

/** What the form needs besides its texts. */
interface FormContext {
  rule: CameraRuleFragment | undefined;
  /** The tree of the rule, or that of the new one. */
  tree: RuleNode;
  timeZone: string;
  now: Date;
  /** The new secret of the webhook, if there is one. */
  secret: string | undefined;
}

/** What the form says of a rule. Leaves out what did not change, so that what the form cannot show stays as it is. */
export function ruleInput(texts: Texts, { rule, tree, timeZone, now, secret }: FormContext) {
  const url = texts.webhook ?? "";
  const group = treeOf(texts, tree);
  const days = daysOf(texts);
  const before = hoursOf(rule?.timeRange, timeZone);
  const hours = texts.from && texts.to ? { from: texts.from, to: texts.to } : undefined;
  const isSchedule = before?.from === hours?.from && before?.to === hours?.to;
  return {
    name: alertNameOf(texts, rule, tree),
    ...(JSON.stringify(group) !== JSON.stringify(rule?.group) && { group }),
    severity: defined(texts.severity),
    observation: "observation" in texts,
    // The form offers it only where it can change the conditions.
    ...(changeableDetection(tree) && { evaluated: "evaluated" in texts }),
    status: statusOf("active" in texts, rule),
    ...(String(days) !== String(rule?.dayRange) && { dayRange: days }),
    ...(!isSchedule && { timeRange: hours ? timeRangeOf(hours, timeZone, now) : null }),
    emails: linesOf(texts.emails ?? ""),
    phoneNumbers: linesOf(texts.phoneNumbers ?? ""),
    apiNotification:
      url === ""
        ? null
        : { url, enabled: "webhookEnabled" in texts, ...(secret !== undefined && { secret }) },
  } satisfies UpdateAlertRuleInput;
}

/** The name of the rule's alerts: the type that is chosen, unless the rule had another one than its type. */
const alertNameOf = (texts: Texts, rule: CameraRuleFragment | undefined, tree: RuleNode) =>
  hasOwnAlertName(rule, tree) ? (texts.alertName ?? "") : (texts.type ?? "");

/** Whether the name of a rule's alerts is not simply the type of its only condition. */
export const hasOwnAlertName = (rule: CameraRuleFragment | undefined, tree: RuleNode): boolean =>
  rule !== undefined && changeableDetection(tree)?.type !== rule.name;

/** The status to save. The form only chooses whether a rule is active: any other inactive status stays. */
function statusOf(isActive: boolean, rule: CameraRuleFragment | undefined) {
  if (isActive) return "ACTIVE";
  return rule && rule.status !== "ACTIVE" ? rule.status : "INACTIVE";
}

/** The objects that can be ticked. Others are written. */
export const knownObjects = ["PERSON", "VEHICLE", "FORKLIFT", "TRUCK", "CAR", "BICYCLE"] as const;

export const objectField = (label: string) => `object ${label}`;

/**
 * What a rule detects, if the form can change it: its only condition besides areas. Other trees, which come from
 * programs, stay as they are.
 */
export function changeableDetection(tree: RuleNode): RuleNode | undefined {
  const [detection, ...others] = detectionsOf(tree);
  return others.length === 0 ? detection : undefined;
}

export const newTree = (detection: RuleNode = presets.forbiddenArea): RuleNode => ({
  type: "GROUP",
  operator: "AND",
  children: [{ id: randomUuid(), ...detection }],
});

/** The texts of a form with those of a preset. Keeps what has nothing to do with it, such as an area that is drawn. */
export function presetTexts(preset: Preset, before: Texts, names: Readonly<Record<Preset, string>>): Texts {
  const own = Object.entries(before).filter(
    ([field]) => !knownObjects.some((of) => objectField(of) === field),
  );
  const isNamed = Boolean(before.title) && !Object.values(names).some((name) => name === before.title);
  const isDrawn = areasIn(before.areas).some(({ points }) => points.length > 0);
  return {
    ...Object.fromEntries(own),
    ...conditionTexts(newTree(presets[preset])),
    title: isNamed ? before.title : names[preset],
    ...(!isDrawn && { areas: wholePicture.includes(preset) ? "[]" : undefined }),
  };
}

/** Whether an area is only begun. */
export const isAreaUnfinished = ({ areas }: Texts): boolean =>
  areasIn(areas).some(({ points }) => points.length < minCorners);

function conditionTexts(tree: RuleNode): Texts {
  const detection = changeableDetection(tree);
  const { type, objects = [] } = detection ?? { type: "" };
  const isKnown = (label: string) => knownObjects.some((object) => object === label);
  return {
    title: tree.name ?? "",
    type,
    otherObjects: objects.filter((label) => !isKnown(label)).join(", "),
    ...(detection && parameterTexts(tree, detection)),
    ...Object.fromEntries(objects.filter(isKnown).map((label) => [objectField(label), "on"])),
  };
}

/** A tree as the form says. Keeps what the form cannot change, also in the conditions that it changes. */
export const treeOf = (texts: Texts, tree: RuleNode): RuleNode =>
  withAreas(
    conditionsOf(texts, tree),
    areasIn(texts.areas).filter(({ points }) => points.length >= minCorners),
  );

function conditionsOf(texts: Texts, tree: RuleNode): RuleNode {
  const named = withChanges(tree, { name: texts.title?.trim() || undefined });
  const detection = changeableDetection(tree);
  if (!detection?.id || !texts.type) return named;
  const objects = objectsOf(texts);
  const before = new Set(detection.objects);
  const isSame = objects.length === before.size && objects.every((label) => before.has(label));
  const chosen = withFields(named, detection.id, { type: texts.type, ...(!isSame && { objects }) });
  return withParameters(chosen, detection, texts);
}

const objectsOf = (texts: Texts) => [
  ...knownObjects.filter((label) => objectField(label) in texts),
  ...linesOf(texts.otherObjects ?? ""),
];

/** The texts of the fields for the parameters of a rule's only detection. */
function parameterTexts(tree: RuleNode, detection: RuleNode): Texts {
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
function withParameters(tree: RuleNode, detection: RuleNode, texts: Texts) {
  const before = parameterTexts(tree, detection);
  const changed = <Value>(field: string, value: Value, kept: Value) =>
    (texts[field] ?? "") === before[field] ? kept : value;
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
  return withFields(root, defined(detection.id), parameters);
}

const textOf = (value: unknown) => (typeof value === "number" ? String(value) : "");
const numberIn = (text: string | undefined) => (text ? Number(text) : undefined);
/** A share in percent, without the errors of multiplying fractions. */
const percentOf = (share: number) => Number((share * 100).toFixed(6));

/** Attributes as lines such as `helmet = false`. */
const attributesText = (attributes: RuleNode["attributes"]) =>
  Object.entries(attributes ?? {})
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
