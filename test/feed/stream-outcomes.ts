import type { StreamCapture } from "../../src/features/camera-feed/capture/stream-capture.js";

/** What becomes of a probe and of a picture: what was read, or the failure's code. */
export async function outcomesOf(capture: StreamCapture, url: string): Promise<unknown[]> {
  const { signal } = new AbortController();
  const attempts = await Promise.allSettled([capture.probe(url, signal), capture.takePicture(url, signal)]);
  return attempts.map((attempt) => (attempt.status === "rejected" ? attempt.reason.code : attempt.value));
}

/** Why a live view shows nothing; undefined if it shows something. */
export async function liveOutcomeOf(capture: StreamCapture, url: string): Promise<unknown> {
  try {
    for await (const _frame of capture.readFrames(url, new AbortController().signal)) break;
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code;
  }
}
