/**
 * Embeddings, overrides and isolates of bidirectional text: they change the direction of
 * what follows, so that it reads differently than it is written. Marks such as U+200F,
 * which proper Arabic and Hebrew need, are none of them.
 */
const controls = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * What Unicode reserves for letters and digits that are written from right to left, and
 * the marks of that direction.
 */
const rightToLeft = /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** A text without the characters that change the direction of what follows. */
export const withoutDirectionControls = (text: string): string => text.replace(controls, "");

/**
 * A text that was stored, to be part of a sentence or of an attribute: whatever its
 * direction is, it does not reach what surrounds it. Where there is markup, an element
 * does this.
 */
export function isolated(text: string): string {
  const plain = withoutDirectionControls(text);
  return rightToLeft.test(plain) ? `\u2068${plain}\u2069` : plain;
}
