import type { CameraState, RememberedObject, RuleState, Stay } from "./detection.js";

/**
 * A state as it is stored, without names, and with times as milliseconds before the last frame, which takes a third of
 * the room and of the time. The column `lastDetectionAt` of cameras is the number that it begins with.
 */
type StoredState = [at: number, rules: StoredRule[], objects: StoredObject[]];
type StoredRule = [id: string, firedAt: number | null, since?: number, lastAt?: number];
/** The stays follow each other, four numbers each. */
type StoredObject = [trackId: string, seenAt: number, stays: number[]];

const numbersOfStay = 4;

export function encodeState({ at, rules, objects }: CameraState): string {
  if (at === null) throw new Error("A state before the first frame is not stored");
  const stored: StoredState = [
    at,
    rules.map(({ id, firedAt, timer }): StoredRule => {
      const fired = firedAt === null ? null : at - firedAt;
      return timer ? [id, fired, at - timer.since, at - timer.lastAt] : [id, fired];
    }),
    objects.map(({ trackId, seenAt, stays }): StoredObject => {
      const numbers: number[] = [];
      for (const { rule, since, lastAt, isReported } of stays)
        numbers.push(rule, at - since, at - lastAt, isReported ? 1 : 0);
      return [trackId, at - seenAt, numbers];
    }),
  ];
  return JSON.stringify(stored);
}

export function decodeState(text: string): CameraState {
  const [at, rules, objects] = JSON.parse(text) as StoredState;
  return {
    at,
    rules: rules.map(([id, fired, since, lastAt]): RuleState => {
      const timer: Stay | null =
        since === undefined || lastAt === undefined ? null : { since: at - since, lastAt: at - lastAt };
      return { id, firedAt: fired === null ? null : at - fired, timer };
    }),
    objects: objects.map(([trackId, seenAt, numbers]): RememberedObject => {
      const stays: RememberedObject["stays"][number][] = [];
      for (let first = 0; first < numbers.length; first += numbersOfStay) {
        stays.push({
          rule: numbers[first] as number,
          since: at - (numbers[first + 1] as number),
          lastAt: at - (numbers[first + 2] as number),
          isReported: numbers[first + 3] === 1,
        });
      }
      return { trackId, seenAt: at - seenAt, stays };
    }),
  };
}
