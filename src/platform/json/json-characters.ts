const code = (character: string) => character.charCodeAt(0);

// Codes of the characters that structure JSON. In UTF-8, each is a byte of its own.
export const quote = code('"');
export const backslash = code("\\");
export const comma = code(",");
export const openingBrace = code("{");
export const closingBrace = code("}");
/** The bit that distinguishes a brace from its bracket. */
export const brace = 0x20;
