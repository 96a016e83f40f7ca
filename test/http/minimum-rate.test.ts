// Needs no gateway.
import { MinimumRate } from "../../src/engine/http/minimum-rate.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/**
 * Watches a client for ten minutes with a number of bytes per second, while the server
 * waits for it in some seconds. Returns the seconds in which the client was reported.
 */
function reports(bytesPerSecond: number, isWaitedFor: (second: number) => boolean = () => true): number[] {
  const reported: number[] = [];
  let passed = 0;
  let second = 0;
  const flow = { passed: () => passed, isWaiting: () => isWaitedFor(second) };
  const rate = new MinimumRate(flow, () => reported.push(second));
  for (second = 1; second <= 600; second += 1) {
    passed += bytesPerSecond;
    vi.advanceTimersByTime(1000);
  }
  rate.stop();
  return reported;
}

it("reports a client that is slower than 1 KiB a second after a minute, once", () => {
  expect(reports(0)).toEqual([60]);
  expect(reports(1023)).toEqual([60]);
});

it("does not report a client that is fast enough", () => {
  expect(reports(1024)).toEqual([]);
});

it("does not count the time in which nobody waits for the client", () => {
  expect(reports(0, () => false)).toEqual([]);
  expect(reports(0, (second) => second % 30 !== 0)).toEqual([]);
  expect(reports(0, (second) => second > 100)).toEqual([160]);
});
