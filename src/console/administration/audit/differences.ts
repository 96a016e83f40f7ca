import type { AuditLogQuery } from "../../../generated/console.js";
import { useLanguage } from "../../language/language.js";
import { readersTimeZone } from "../../language/time-zones.js";
import { type Hours, hoursOf } from "../../rules/schedule.js";
import { useRuleSentence } from "../../rules/sentence/use-rule-sentence.js";
import { useTexts as useSettingTexts } from "../texts.js";
import type { AuditNames } from "./audit-names.js";
import { useTexts } from "./texts.js";

type Entry = Pick<AuditLogQuery["auditLog"]["nodes"][number], "changes" | "facilityId" | "targetType">;

/** The text of a catalogue for a name of the API, or the name in words. */
export const wordsOr = (name: string, texts: Record<string, string>): string =>
  Object.hasOwn(texts, name)
    ? (texts[name] as string)
    : name.replace(/[a-z](?=[A-Z])/g, "$& ").replace(/ [A-Z](?=[a-z])/g, (letter) => letter.toLowerCase());

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a text is a time as the API writes it. */
const isInstant = (text: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text);

/** A value without the corners of areas. */
const withoutPoints = (value: unknown): string =>
  JSON.stringify(value, (name, each) => (name === "points" ? undefined : each)) ?? "";

/**
 * A function that says the changed fields of an entry in words. Of a secret, only the fact
 * that it changed is known.
 */
export function useDifferences({ nameOfId, zoneOf }: AuditNames): (entry: Entry) => string[] {
  const auditLog = useTexts();
  const { permissions } = useSettingTexts();
  const { formats, words } = useLanguage();
  const sentenceOf = useRuleSentence();

  const textInWords = (field: string, text: string, { targetType }: Entry): string => {
    if (/^severit(?:y|ies)$/.test(field)) return words.severity(text);
    if (field === "statusDetail") return words.statusDetail(text);
    if (field === "types" || (field === "name" && targetType === "AlertRule")) return words.alertType(text);
    if (isInstant(text)) return formats.moment(text, readersTimeZone);
    return nameOfId(text) ?? (Object.hasOwn(permissions, text) ? (permissions[text] as string) : text);
  };
  const listInWords = (field: string, list: readonly unknown[], entry: Entry): string => {
    if (field === "timeRange") {
      const { from, to } = hoursOf(list as string[], zoneOf(entry.facilityId)) as Hours;
      return `${formats.clockTime(from)}–${formats.clockTime(to)}`;
    }
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
    if (before === "" && after === "") return [];
    const name = wordsOr(field, auditLog.fields);
    if (before === "") return `${name}: ${after}`;
    if (before !== after) return auditLog.changed(name, before, after || auditLog.nothing);
    if (from === to) return auditLog.maskedChanged(name);
    return withoutPoints(from) === withoutPoints(to) ? auditLog.redrawn : auditLog.otherwiseChanged(name);
  };
  return (entry) =>
    Object.entries(entry.changes ?? {}).flatMap(([field, change]) => difference(field, change ?? {}, entry));
}
