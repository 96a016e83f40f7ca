/** A code in words: `NO_PPE_IN_WORK_AREA` becomes “No PPE in work area”. A code that is already in words stays. */
function humanized(code: string): string {
  if (!/^[A-Z0-9]+(?:_[A-Z0-9]+)*$/.test(code)) return code;
  const sentence = code
    .toLowerCase()
    .replaceAll("_", " ")
    .replace(/\bppe\b/g, "PPE");
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

/**
 * The words of a catalogue for a code, or of the code itself. Detectors choose codes, which may be “constructor”, too.
 */
export const wordsFor = (code: string, catalogue: Record<string, string> = {}): string =>
  (Object.hasOwn(catalogue, code) && catalogue[code]) || humanized(code);
