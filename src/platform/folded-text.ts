/**
 * A text without differences of upper and lower case, in whatever language it is, as the
 * function "foldedText" of the database folds names: İSTANBUL, Istanbul and ISTANBUL are
 * the same.
 */
export const foldedText = (text: string): string =>
  text
    .normalize("NFC")
    .replaceAll("ẞ", "ß")
    .toUpperCase()
    .toLowerCase()
    .replaceAll("ς", "σ")
    .replaceAll("i\u0307", "i")
    .normalize("NFC");
