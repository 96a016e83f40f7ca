/**
 * The functions of the language whose calls the bundler would drop where nobody uses what they return, although they
 * refuse some values by an exception. As properties of `globalThis` it does not know them.
 */
export const keptCalls = Object.fromEntries(
  ["decodeURI", "decodeURIComponent", "encodeURI", "encodeURIComponent", "String.fromCodePoint"].map(
    (name) => [name, `globalThis.${name}`],
  ),
);
