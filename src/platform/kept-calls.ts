/** Their results are unused, so the bundler would drop the calls, which refuse values by an exception. */
export const keptCalls = Object.fromEntries(
  ["decodeURI", "decodeURIComponent", "encodeURI", "encodeURIComponent", "String.fromCodePoint"].map(
    (name) => [name, `globalThis.${name}`],
  ),
);
