import { textWithoutSecrets } from "../../platform/network/url-secrets.js";
import { isRecord } from "../../platform/record.js";
import { withoutDirectionControls } from "../../platform/text/text-direction.js";
import { localTime } from "../../platform/time.js";

/** In bytes of JSON. Longer texts are cut: so an item with the longest texts fits into an answer. */
const maxBytes = 500;

/** The colors and other commands of terminals. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
const terminalCommand = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|.)?/g;
/** Control characters other than tabs and line breaks, and tags, which only machines read. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
const invisible = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u{e0000}-\u{e007f}]/gu;

/**
 * A text that people, cameras or detectors wrote, without what would make it look or read like something
 * else, and without the secrets of URLs.
 */
export function plainText(text: string, bytes = maxBytes): string {
  const plain = withoutDirectionControls(text.replace(terminalCommand, "").replace(invisible, ""));
  const shown = textWithoutSecrets(plain);
  let cut = shown;
  for (let length = jsonBytes(cut); length > bytes; length = jsonBytes(cut))
    cut = cut.slice(0, Math.floor((cut.length * bytes) / length)).replace(/[\ud800-\udbff]$/, "");
  return cut.length < shown.length ? `${cut}… (cut)` : shown;
}

/** Data of any structure as a text, without what {@link plainText} removes from its texts and names. */
export const plainJson = (data: unknown): string =>
  JSON.stringify(data, (_name, value) => {
    if (typeof value === "string") return plainText(value, Number.POSITIVE_INFINITY);
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [plainText(name, Number.POSITIVE_INFINITY), each]),
    );
  });

const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text));

/** Sets apart texts that people, cameras or detectors wrote from what the gateway says. Leaves out missing ones. */
export function untrusted(
  texts: Readonly<Record<string, string | null | undefined>>,
  bytes?: number,
): { untrusted_text?: Record<string, string> } {
  const shown = Object.entries(texts).flatMap(([name, text]) =>
    text == null || text === "" ? [] : [[name, plainText(text, bytes)] as const],
  );
  return shown.length > 0 ? { untrusted_text: Object.fromEntries(shown) } : {};
}

/** An instant by the clock of a facility and in UTC. */
interface ResultTime {
  local: string;
  utc: string;
}

/** Writes an instant; undefined, which answers leave out, if there is none. */
export function time(instant: string | null, timeZoneId: string | undefined): ResultTime | undefined {
  if (instant === null) return undefined;
  const date = new Date(instant);
  return { local: localTime(date, timeZoneId ?? "UTC"), utc: date.toISOString() };
}
