import { isExcess, isShortage, type RuleNode } from "../alert-rule/rule-tree.js";

/** Whether the number of objects that a detection finds satisfies it. */
export type CountCondition = (count: number) => boolean;

/** The condition of a detection on the number of objects. No objects satisfy none. */
export function countCondition({ type, minCount, maxCount }: RuleNode): CountCondition {
  if (isShortage(type)) {
    const enough = minCount ?? 2;
    return (count) => count > 0 && count < enough;
  }
  if (isExcess(type)) {
    const permitted = maxCount ?? 0;
    return (count) => count > permitted;
  }
  const [least, most] = [minCount ?? 1, maxCount ?? Number.POSITIVE_INFINITY];
  return (count) => least <= count && count <= most;
}

/** Whether a detection is about a number of objects rather than about each of them. */
export const isAboutNumber = ({ type }: RuleNode): boolean => isShortage(type) || isExcess(type);
