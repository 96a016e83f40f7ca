/**
 * Embeddings, overrides and isolates of bidirectional text. They change the direction of the text after them, so that
 * people read something else than was written. Marks such as U+200F are allowed, because proper Arabic and Hebrew need
 * them.
 */
const controls = /[\u202a-\u202e\u2066-\u2069]/g;

/** The ranges that Unicode reserves for right-to-left letters and digits, and the marks of that direction. */
const rightToLeft = /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Removes the characters that change the direction of the text after them. */
export const withoutDirectionControls = (text: string): string => text.replace(controls, "");

/** Keeps the direction of a stored text from affecting the sentence around it. In markup, use an element instead. */
export function isolated(text: string): string {
  const plain = withoutDirectionControls(text);
  return rightToLeft.test(plain) ? `\u2068${plain}\u2069` : plain;
}
