/**
 * The URL that a text is, if any. `URL.canParse` refuses letters such as "ü" in Node.js 20, once V8 has optimized it.
 */
export function parsedUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
