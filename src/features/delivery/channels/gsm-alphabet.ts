/** The GSM 7-bit default alphabet. A text message holds 160 of its characters. */
const basic = new Set(
  "@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !\"#¤%&'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà",
);
/** Each of these characters counts as two. */
const extended = new Set("^{}\\[~]|€");

/** Substitutes that removing accents does not find. */
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

/** Replaces characters outside the GSM alphabet by similar ones of the alphabet, if there are any. */
export function inGsmLetters(text: string): string {
  return [...text.normalize("NFC")].map(similar).join("");
}

function similar(character: string): string {
  if (isInAlphabet(character)) return character;
  const likeness = likenesses[character] ?? character.normalize("NFKD").replace(/\p{M}/gu, "");
  return likeness !== "" && [...likeness].every(isInAlphabet) ? likeness : character;
}

/** Whether a text fits into one text message: 160 characters of the GSM alphabet, or 70 characters of any kind. */
export function fitsOneSegment(text: string): boolean {
  const characters = [...text];
  if (!characters.every(isInAlphabet)) return text.length <= 70;
  return characters.length + characters.filter((character) => extended.has(character)).length <= 160;
}
