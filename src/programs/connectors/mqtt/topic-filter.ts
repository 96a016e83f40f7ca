/** Why a topic filter is not one; undefined if it is. */
export function filterIssue(filter: string): string | undefined {
  const levels = filter.split("/");
  const isMisplaced = (level: string, index: number) =>
    (level.includes("+") && level !== "+") ||
    (level.includes("#") && (level !== "#" || index !== levels.length - 1));
  if (levels.some(isMisplaced)) return "must have + as a whole level only, and # as the last one only";
  if (filter.startsWith("$share/"))
    return "must not share a subscription: the frames of a camera would lose their order";
  return undefined;
}

/** The number of wildcards of a topic filter. */
export const wildcardCount = (filter: string): number =>
  filter.split("/").filter((level) => level === "+" || level === "#").length;

/** What the wildcards of a filter stand for in a topic; undefined if the topic does not match. */
export function wildcardsIn(filter: string, topic: string): string[] | undefined {
  const expected = filter.split("/");
  const levels = topic.split("/");
  const found: string[] = [];
  for (const [index, level] of expected.entries()) {
    if (level === "#") return [...found, levels.slice(index).join("/")];
    const actual = levels[index];
    if (actual === undefined || (level !== "+" && level !== actual)) return undefined;
    if (level === "+") found.push(actual);
  }
  return levels.length === expected.length ? found : undefined;
}
