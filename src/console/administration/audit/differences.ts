import type { AuditedChangeFragment } from "../../../generated/console.js";
import { useLanguage } from "../../language/language.js";
import { readersTimeZone } from "../../language/time-zones.js";
import { useRuleSentence } from "../../rules/sentence/use-rule-sentence.js";
import { useTexts as useSettingTexts } from "../texts.js";
import type { AuditNames } from "./audit-names.js";
import { useTexts } from "./texts.js";

type Entry = Pick<AuditedChangeFragment, "changes" | "facilityId" | "targetType">;

/** The text of a catalogue for a name of the API, or the name in words. */
export const wordsOr = (name: string, texts: Record<string, string>): string =>
  Object.hasOwn(texts, name)
    ? (texts[name] as string)
    : name.replace(/[a-z](?=[A-Z])/g, "$& ").replace(/ [A-Z](?=[a-z])/g, (letter) => letter.toLowerCase());

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a text is a time as the API writes it. */
const isInstant = (text: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text);

const isId = (text: string): boolean => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(text);

/** A value without the corners of areas and without ids. */
const withoutPoints = (value: unknown): string =>
  JSON.stringify(value, (name, each) => (name === "points" || name === "id" ? undefined : each)) ?? "";

/**
 * A function that says the changed fields of an entry in words. Of a secret, only the fact
 * that it changed is known.
 */
export function useDifferences({ nameOfId, zoneOf }: AuditNames): (entry: Entry) => string[] {
  const auditLog = useTexts();
  const { permissions } = useSettingTexts();
  const { formats, words } = useLanguage();
  const sentenceOf = useRuleSentence();

  const codeWords = new Map<string, (code: string) => string>([
    ["severity", (code) => words.severity(code)],
    ["severities", (code) => words.severity(code)],
    ["statusDetail", (code) => words.statusDetail(code)],
    ["types", (code) => words.alertType(code)],
  ]);
  const textInWords = (field: string, text: string, { targetType, facilityId }: Entry): string => {
    if (/^timeRange(?:Start|End)$/.test(field)) return formats.timeOfDay(text, zoneOf(facilityId));
    const ofCode = codeWords.get(field === "name" && targetType === "AlertRule" ? "types" : field);
    if (ofCode) return ofCode(text);
    if (isInstant(text)) return formats.moment(text, readersTimeZone);
    if (isId(text)) return nameOfId(text) ?? "";
    return Object.hasOwn(permissions, text) ? (permissions[text] as string) : text;
  };
  const listInWords = (field: string, list: readonly unknown[], entry: Entry): string => {
    const parts = list.flatMap((each) => inWords(field, each, entry) || []);
    return parts.join(list.some(isObject) ? "; " : ", ");
  };
  const objectInWords = (field: string, object: Record<string, unknown>, entry: Entry): string => {
    const { width, height, lat, lng } = object;
    if (field === "group") return sentenceOf(object);
    if (typeof width === "number" && typeof height === "number")
      return `${formats.number(width)} × ${formats.number(height)}`;
    if (typeof lat === "number" && typeof lng === "number") return `${lat}, ${lng}`;
    const parts = Object.entries(object).flatMap(([name, each]) => {
      const text = inWords(name, each, entry);
      return text === "" ? [] : `${wordsOr(name, auditLog.fields)}: ${text}`;
    });
    return parts.join(", ");
  };
  const numberInWords = (field: string, number: number): string =>
    /^(?:dayRange|daysOfWeek)$/.test(field) ? formats.dayOfWeek(number, "short") : formats.number(number);

  /** A value of a field in words; empty if there is none. */
  const inWords = (field: string, value: unknown, entry: Entry): string => {
    if (typeof value === "boolean") return value ? auditLog.yes : auditLog.no;
    if (typeof value === "number") return numberInWords(field, value);
    if (typeof value === "string") return textInWords(field, value, entry);
    if (Array.isArray(value)) return listInWords(field, value, entry);
    return isObject(value) ? objectInWords(field, value, entry) : "";
  };
  const difference = (field: string, { from, to }: { from?: unknown; to?: unknown }, entry: Entry) => {
    const [before, after] = [inWords(field, from, entry), inWords(field, to, entry)];
    if ((before === "" && after === "") || field === "pretty") return [];
    const name = wordsOr(field, auditLog.fields);
    if (before === "") return `${name}: ${after}`;
    if (before !== after) return auditLog.changed(name, before, after || auditLog.nothing);
    if (from === to) return auditLog.maskedChanged(name);
    return withoutPoints(from) === withoutPoints(to) ? auditLog.redrawn : auditLog.otherwiseChanged(name);
  };
  return (entry) =>
    Object.entries(entry.changes ?? {}).flatMap(([field, change]) => difference(field, change ?? {}, entry));
}
