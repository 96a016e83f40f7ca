export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);

/** The code of an error of Node.js or of a driver; empty if it has none. */
export const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";

/** Whatever was thrown, as an error. */
export const errorOf = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));

/** Ends a command, and says why. */
export function fail(thrown: unknown): never {
  process.stderr.write(`${messageOf(thrown)}\n`);
  process.exit(1);
}
