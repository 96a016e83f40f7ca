/** The distinct entries of a text: one per line, or separated by commas or semicolons. */
export const linesOf = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\n,;]/)
      .map((line) => line.trim())
      .filter((line) => line !== ""),
  ),
];
