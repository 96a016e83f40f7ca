const code = (character: string) => character.charCodeAt(0);

// The codes of the characters that say how JSON is structured; in UTF-8, they are bytes
// of their own.
export const quote = code('"');
export const backslash = code("\\");
export const comma = code(",");
export const openingBrace = code("{");
export const closingBrace = code("}");
/** The bit in which a brace differs from its bracket. */
export const brace = 0x20;

const zero = code("0");
const nine = code("9");
const point = code(".");
const minus = code("-");
const plus = code("+");
const exponent = code("e");
/** The bit in which a letter in lower case differs from that in upper case. */
const lowerCase = 0x20;

/** Whether a number may begin here, after its sign. */
export const isDigit = (character: number) => character >= zero && character <= nine;
/** Whether the digits of a number go on here. */
export const isInMantissa = (character: number) => isDigit(character) || character === point;
/** Whether the exponent of a number begins here. */
export const isExponent = (character: number) => (character | lowerCase) === exponent;
/** Whether a number that has begun goes on with this. */
export const isInNumber = (character: number) =>
  isInMantissa(character) || isExponent(character) || character === minus || character === plus;
