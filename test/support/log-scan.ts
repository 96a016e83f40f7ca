import { testSecrets } from "./environment.js";
import { uuids } from "./uuids.js";

/**
 * Texts that no line of a log may contain. The patterns match data that tests send, not
 * the gateway's masking.
 */
const forbidden: Record<string, RegExp> = {
  "a token": /eyJ[\w-]{10,}(?:\.|%2e)[\w-]{10,}/i,
  "an API key": /cmk(?:_|%5f)[0-9a-f]{4,}/i,
  "a secret": new RegExp(
    [...Object.values(testSecrets), "never shown", "(?:hidden|other|notification)-word", "sesame-"].join("|"),
  ),
  "credentials in a URL": /(?::|%3A)(?:\/|%2F){2}(?!\*\*\*)[^/?\s"]*(?:@|%40)/i,
  "a link's signature": /[?&](?:signature|ticket)=(?!\*\*\*)[^&"]/i,
  "an e-mail address": /[\w.+-](?:@|%40)[\w-]+\.\w/,
  "a telephone number": /(?:\+|%2B)[1-9][\d ()-]{6}|5321234567|15123456789|0532(?: |%20)123/i,
  "a stream request id": /a0000000-0000-4000-8000-00000000602\d|b0000000-0000-4000-8000-\d{6}0000(?:72|74)/,
};

const capabilities = new Set<string>();
const leaks: string[] = [];

/** Remembers the ids in an answer that authorize the callbacks of stream requests. */
export function rememberCapabilities(answer: string): void {
  for (const [, id] of answer.matchAll(/"requestId":"([0-9a-f-]{36})"/g)) capabilities.add(id as string);
}

/** Looks for secrets and personal data in lines that a gateway has logged. */
export function scanLog(text: string): void {
  for (const line of text.split("\n")) {
    // Processes write other things, too, such as the demo's API key.
    if (!line.startsWith("{")) continue;
    const found = Object.entries(forbidden).filter(([, pattern]) => pattern.test(line));
    const ids = line.toLowerCase().match(uuids) ?? [];
    if (ids.some((id) => capabilities.has(id))) found.push(["a stream request id", /./]);
    if (found.length > 0) leaks.push(`${found.map(([what]) => what).join(", ")}: ${line}`);
  }
}

/** The lines with forbidden texts since the last call. */
export const takeLeaks = (): string[] => leaks.splice(0);
