/** Whether a version of Frigate, such as 0.16.2-4d58206, is this one or a later one. */
export function isFrom(version: string, major: number, minor: number): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split(".").map((part) => Number.parseInt(part, 10));
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}
