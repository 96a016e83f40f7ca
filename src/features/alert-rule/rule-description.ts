import { knownTypes } from "./alert-kind.js";
import { isExcess, isShortage, type RuleNode } from "./rule-tree.js";

interface KnownObject {
  article: string;
  singular: string;
  plural: string;
}

const knownObjects: ReadonlyMap<string, KnownObject> = new Map([
  ["PERSON", { article: "a", singular: "person", plural: "persons" }],
  ["VEHICLE", { article: "a", singular: "vehicle", plural: "vehicles" }],
]);
const anyObject: KnownObject = { article: "an", singular: "object", plural: "objects" };

const numberWords = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const numberWord = (count: number) => numberWords[count] ?? String(count);

/** The number of objects that a detection demands; undefined if one is enough. */
function numberOf({ type, minCount, maxCount }: RuleNode): string | undefined {
  if (isShortage(type)) return minCount === undefined ? undefined : `fewer than ${numberWord(minCount)}`;
  if (isExcess(type)) return maxCount === undefined ? undefined : `more than ${numberWord(maxCount)}`;
  const least = minCount ?? 1;
  if (maxCount === undefined) return least === 1 ? undefined : `at least ${numberWord(least)}`;
  return least === maxCount
    ? `exactly ${numberWord(least)}`
    : `${numberWord(least)} to ${numberWord(maxCount)}`;
}

/** The words for the objects of a detection; undefined if one of its labels is a free text. */
function wordsOf({ objects = [] }: RuleNode): readonly KnownObject[] | undefined {
  if (objects.length === 0) return [anyObject];
  const known = objects.flatMap((object) => knownObjects.get(object.toUpperCase()) ?? []);
  return known.length === objects.length ? known : undefined;
}

/**
 * The beginning of a clause about a detection, up to its verb, such as “a person or a vehicle is”; undefined
 * if only the detector knows the meaning.
 */
function subjectOf(node: RuleNode): string | undefined {
  const words = wordsOf(node);
  if (!knownTypes.includes(node.type) || !words) return undefined;
  const number = numberOf(node) ?? (isShortage(node.type) ? "fewer than two" : "one");
  const isPlural = number !== "one" && number !== "exactly one";
  const nouns = words.map(({ article, singular, plural }) => {
    if (isPlural) return plural;
    return number === "one" ? `${article} ${singular}` : singular;
  });
  const subject = `${number === "one" ? "" : `${number} `}${nouns.join(" or ")}`;
  return `${subject}${attributesOf(node)} ${isPlural ? "are" : "is"}`;
}

function attributesOf({ attributes = {} }: RuleNode): string {
  const each = Object.entries(attributes).map(
    ([name, value]) => `${name} ${typeof value === "string" ? `“${value}”` : value}`,
  );
  return each.length === 0 ? "" : ` with ${each.join(" and ")}`;
}

/** How surely and how long objects must be detected. */
function mannerOf({ minConfidence, minSeconds }: RuleNode): string {
  const confidence = minConfidence === undefined ? "" : ` with a confidence of at least ${minConfidence}`;
  if (minSeconds === undefined) return confidence;
  return `${confidence} ${minSeconds === 0 ? "even for an instant" : `for ${duration(minSeconds)}`}`;
}

/** A duration in the largest unit in which it is a whole number. */
function duration(seconds: number): string {
  const units = [
    [3_600, "hour"],
    [60, "minute"],
    [1, "second"],
  ] as const;
  const [length, unit] = units.find(([length]) => seconds % length === 0) ?? [1, "second"];
  const count = seconds / length;
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

function describeDetection(node: RuleNode, isBeforeArea: boolean): string {
  const subject = subjectOf(node);
  const manner = mannerOf(node);
  // Omit “detected” before an area.
  if (subject !== undefined) return isBeforeArea && manner === "" ? subject : `${subject} detected${manner}`;
  const { type, objects = [] } = node;
  const labels = objects.length === 0 ? "any object" : objects.join(" or ").toLowerCase();
  const number = numberOf(node);
  const details = `${number === undefined ? "" : `${number}: `}${labels}${attributesOf(node)}`;
  return `${type.toLowerCase().replaceAll("_", " ")} (${details})${manner}`;
}

function describeNode(node: RuleNode, isBeforeArea = false): string {
  if (node.type === "AREA") return `in the area “${node.name}”`;
  if (node.type !== "GROUP") return describeDetection(node, isBeforeArea);
  const sentence = describeChildren(node);
  return (node.children ?? []).length > 1 ? `(${sentence})` : sentence;
}

function describeChildren({ operator, children = [] }: RuleNode): string {
  // Put detections before areas, as people do.
  const ordered = [
    ...children.filter((child) => child.type !== "AREA"),
    ...children.filter((child) => child.type === "AREA"),
  ];
  const isOnlySubject = operator === "AND" && ordered[1]?.type === "AREA";
  return ordered.reduce((text, child, index) => {
    if (index === 0) return describeNode(child, isOnlySubject);
    // Put no “and” between a detection and its area.
    const joined = operator === "AND" && child.type === "AREA" && ordered[index - 1]?.type !== "AREA";
    const conjunction = operator === "AND" ? "and " : "or ";
    return `${text} ${joined ? "" : conjunction}${describeNode(child)}`;
  }, "");
}

/** Describes a tree, such as “A person is in the area “Dock edge””; other types read “Queue length (person) in …”. */
export function describeTree(root: RuleNode): string {
  const sentence = describeChildren(root);
  const { cooldownSeconds } = root;
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}${
    cooldownSeconds === undefined ? "" : `; ${pauseOf(cooldownSeconds)}`
  }`;
}

const pauseOf = (seconds: number) =>
  seconds === 0 ? "no pause between alerts" : `at most one alert in ${duration(seconds)}`;
