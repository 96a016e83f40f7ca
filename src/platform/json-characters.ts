const code = (character: string) => character.charCodeAt(0);

// The codes of the characters that say how JSON is structured; in UTF-8, they are bytes of their own.
export const quote = code('"');
export const backslash = code("\\");
export const comma = code(",");
export const openingBrace = code("{");
export const closingBrace = code("}");
/** The bit in which a brace differs from its bracket. */
export const brace = 0x20;
