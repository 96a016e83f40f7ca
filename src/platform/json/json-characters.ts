const code = (character: string) => character.charCodeAt(0);

// Codes of the characters that structure JSON. In UTF-8, each is a byte of its own.
export const quote = code('"');
export const backslash = code("\\");
export const comma = code(",");
export const openingBrace = code("{");
export const closingBrace = code("}");
/** The bit that distinguishes a brace from its bracket. */
export const brace = 0x20;

const zero = code("0");
const nine = code("9");
const point = code(".");
const minus = code("-");
const plus = code("+");
const exponent = code("e");
/** The bit that distinguishes a lower-case letter from its upper-case form. */
const lowerCase = 0x20;

/** Whether a number may begin with this character, after its sign. */
export const isDigit = (character: number) => character >= zero && character <= nine;
/** Whether this character continues the digits of a number. */
export const isInMantissa = (character: number) => isDigit(character) || character === point;
/** Whether this character begins the exponent of a number. */
export const isExponent = (character: number) => (character | lowerCase) === exponent;
/** Whether this character continues a number. */
export const isInNumber = (character: number) =>
  isInMantissa(character) || isExponent(character) || character === minus || character === plus;
