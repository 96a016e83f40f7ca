import { isolated } from "../../../platform/text/text-direction.js";
import { knownTypes } from "../alert-kind.js";
import type { SentenceTexts } from "./english.js";

/** What a sentence says of a node. Numbers of a tree that nobody has checked may be anything. */
interface RuleNode {
  type: string;
  name?: string;
  operator?: string;
  children?: readonly RuleNode[];
  objects?: readonly string[];
  attributes?: Readonly<Record<string, unknown>>;
  minCount?: unknown;
  maxCount?: unknown;
  minSeconds?: unknown;
  minConfidence?: unknown;
  cooldownSeconds?: unknown;
}

interface SentenceLanguage {
  texts: SentenceTexts;
  words: { alertType(code: string): string };
}

/**
 * Says what a rule looks for, such as “A person is in the area “Dock edge””. A type whose meaning only the detector
 * knows reads “Queue length (people) in the area “Dock edge””.
 */
export function ruleSentence(tree: RuleNode, language: SentenceLanguage): string {
  const text = describeGroup(tree, language);
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  const cooldown = numberOf(tree.cooldownSeconds);
  return cooldown === undefined ? sentence : `${sentence}. ${language.texts.cooldown(cooldown)}`;
}

function describe(node: RuleNode, language: SentenceLanguage): string {
  if (node.type === "AREA") return regionOf(node, language.texts);
  if (node.type !== "GROUP") return describeDetection(node, language);
  const sentence = describeGroup(node, language);
  return (node.children ?? []).length > 1 ? `(${sentence})` : sentence;
}

function describeGroup({ operator, children = [] }: RuleNode, language: SentenceLanguage): string {
  const { and, or } = language.texts;
  if (operator !== "AND") return children.map((child) => describe(child, language)).join(` ${or} `);
  const regions = children.filter(isRegion);
  const others = children.filter((child) => !isRegion(child));
  const region = regionsOf(regions, and, language.texts);
  const [only] = others;
  if (only && others.length === 1 && only.type !== "GROUP") return describeDetection(only, language, region);
  const detected = others.map((child) => describe(child, language)).join(` ${and} `);
  return [detected, region].filter((part) => part !== "").join(others.length > 1 ? ", " : " ");
}

/** Whether a condition only says where: an area, or a group of nothing else. */
const isRegion = ({ type, children = [] }: RuleNode) =>
  type === "AREA" || (type === "GROUP" && children.length > 0 && children.every(isRegion));

function regionOf({ type, name, operator, children = [] }: RuleNode, texts: SentenceTexts): string {
  if (type === "AREA") return texts.inArea(isolated(name ?? ""));
  return regionsOf(children, operator === "AND" ? texts.and : texts.or, texts);
}

const regionsOf = (regions: readonly RuleNode[], joint: string, texts: SentenceTexts): string =>
  regions
    .map((region) => {
      const text = regionOf(region, texts);
      return regions.length > 1 && (region.children ?? []).length > 1 ? `(${text})` : text;
    })
    .join(` ${joint} `);

/** A detection with where it must be; without a region it may be anywhere. */
function describeDetection(node: RuleNode, { texts, words }: SentenceLanguage, region = "") {
  const { objects = [] } = node;
  const nouns = objects.length > 0 ? objects.map((label) => nounOf(label, texts)) : [texts.anything];
  const one = nouns.map((noun) => noun.one).join(` ${texts.or} `);
  const many = nouns.map((noun) => noun.many).join(` ${texts.or} `);
  const details = detailsOf(node, texts);
  const count = countOf(node, texts);
  if (knownTypes.includes(node.type)) {
    const subject = count === undefined ? `${one} ${texts.is}` : `${count} ${many} ${texts.are}`;
    return [`${subject} ${region || texts.detected}`, ...details].join(", ");
  }
  const inside = [...(objects.length > 0 ? [many] : []), ...(count === undefined ? [] : [count]), ...details];
  const type = isolated(words.alertType(node.type));
  return `${type}${inside.length > 0 ? ` (${inside.join(", ")})` : ""}${region && ` ${region}`}`;
}

/** The number of objects in words, such as “fewer than 2”; undefined for at least one. */
function countOf({ type, minCount, maxCount }: RuleNode, texts: SentenceTexts) {
  const least = numberOf(minCount) ?? (type === "MIN_WORKER_IN_CONFINED_SPACE" ? 2 : undefined);
  const most = numberOf(maxCount);
  if (type.startsWith("MIN_")) return least === undefined ? undefined : texts.fewerThan(least);
  if (type.startsWith("MAX_")) return most === undefined ? undefined : texts.moreThan(most);
  if (most !== undefined) return texts.between(least ?? 1, most);
  return least === undefined || least === 1 ? undefined : texts.atLeast(least);
}

function detailsOf({ minSeconds, minConfidence, attributes }: RuleNode, texts: SentenceTexts) {
  const seconds = numberOf(minSeconds);
  const confidence = numberOf(minConfidence);
  return [
    ...(seconds === undefined ? [] : [texts.forSeconds(seconds)]),
    ...(confidence === undefined ? [] : [texts.confidence(confidence)]),
    ...Object.entries(attributes ?? {}).map(([name, value]) =>
      texts.attribute(isolated(name), isolated(String(value))),
    ),
  ];
}

const nounOf = (label: string, { objects, unknownObject }: SentenceTexts) => {
  const code = label.toUpperCase();
  const unknown = unknownObject(isolated(label));
  return (Object.hasOwn(objects, code) ? objects[code] : undefined) ?? { one: unknown, many: unknown };
};

const numberOf = (value: unknown) => (typeof value === "number" ? value : undefined);
