import type { AlertItemFragment } from "../../../generated/console.js";
import { pictureSource } from "../../data/picture.js";

/** How long before the alert its clip is played from, in seconds. */
const lead = 2;

/** The source for playing the clip of an alert from shortly before it on; undefined if there is none to play. */
export function clipSource({
  clip,
  createdAt,
}: Pick<AlertItemFragment, "clip" | "createdAt">): string | undefined {
  const source = pictureSource(clip?.url);
  if (!source || !clip?.startsAt) return source;
  const start = (Date.parse(createdAt) - Date.parse(clip.startsAt)) / 1000 - lead;
  // The clip of an alert with a wrong time, or one that ended early, is played whole.
  return start > 0 && start < (clip.duration ?? 0) ? `${source}#t=${start}` : source;
}
