/** The GSM 7-bit default alphabet, of which a text message holds 160 characters. */
const basic = new Set(
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà",
);
/** Each of these takes the place of two characters. */
const extended = new Set("^{}\\[~]|€");

/** Characters whose likeness in the alphabet is not found by removing accents. */
const likenesses: Record<string, string> = {
  "“": '"',
  "”": '"',
  "„": '"',
  "«": '"',
  "»": '"',
  "‘": "'",
  "’": "'",
  "‚": "'",
  "`": "'",
  "´": "'",
  "‐": "-",
  "‑": "-",
  "‒": "-",
  "–": "-",
  "—": "-",
  "−": "-",
  "…": "...",
  "·": "-",
  "•": "-",
  "×": "x",
  ı: "i",
  ł: "l",
  Ł: "L",
  đ: "d",
  Đ: "D",
  ð: "d",
  Ð: "D",
  þ: "th",
  Þ: "Th",
  œ: "oe",
  Œ: "OE",
  ħ: "h",
  Ħ: "H",
};

const isInAlphabet = (character: string) => basic.has(character) || extended.has(character);

/** A text in the letters of the GSM alphabet, as far as it has similar ones. */
export function inGsmLetters(text: string): string {
  return [...text.normalize("NFC")].map(similar).join("");
}

function similar(character: string): string {
  if (isInAlphabet(character)) return character;
  const likeness = likenesses[character] ?? character.normalize("NFKD").replace(/\p{M}/gu, "");
  return likeness !== "" && [...likeness].every(isInAlphabet) ? likeness : character;
}

/**
 * Whether a text fits into one text message: 160 characters of the GSM alphabet, or 70 of
 * any.
 */
export function fitsOneSegment(text: string): boolean {
  const characters = [...text];
  if (!characters.every(isInAlphabet)) return text.length <= 70;
  return characters.length + characters.filter((character) => extended.has(character)).length <= 160;
}
