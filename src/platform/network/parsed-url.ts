/**
 * The URL that a text is, if it is one. `URL.canParse` refuses letters such as "ü" in Node.js 20, once V8 has optimized
 * the call.
 */
export function parsedUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
