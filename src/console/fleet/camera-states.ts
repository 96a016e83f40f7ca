import type { CameraConditionFragment, CameraState, StateCountFragment } from "../../generated/console.js";
import { hasKey, keysOf } from "../../platform/record.js";

export type Tone = "bad" | "doubtful" | "good";

/** The states of cameras as the gateway orders them: worst first. */
const tones: Record<CameraState, Tone> = {
  FACILITY_OFFLINE: "bad",
  NO_STREAM: "bad",
  FAULT_REPORTED: "bad",
  NEVER_CONNECTED: "doubtful",
  PICTURE_OLD: "doubtful",
  WORKING: "good",
};

export const cameraStates = keysOf(tones);

/** The states of cameras that somebody has to look after. */
export const statesOfConcern = cameraStates.filter((state) => tones[state] !== "good");

export const isCameraState = (text: string): text is CameraState => hasKey(tones, text);

export const toneOf = (state: CameraState): Tone => tones[state];

/** The worst of the states that cameras are in; undefined without cameras. */
export const worstOf = (counts: readonly StateCountFragment[]): CameraState | undefined =>
  cameraStates.find((state) => counts.some((each) => each.state === state));

export const countIn = (states: readonly CameraState[], counts: readonly StateCountFragment[]): number =>
  counts.reduce((sum, { state, count }) => (states.includes(state) ? sum + count : sum), 0);

/** Whether a facility is offline: silence of one that is not monitored says nothing. */
export const isAway = ({ monitored, online }: { monitored: boolean; online: boolean }): boolean =>
  monitored && !online;

/** Since when a camera is in its state; undefined if unknown. */
export function startOfState(camera: CameraConditionFragment): string | undefined {
  const starts: Record<CameraState, string | null> = {
    FACILITY_OFFLINE: camera.facility.lastHeartbeatAt,
    NO_STREAM: camera.statusDetailChangedAt,
    FAULT_REPORTED: camera.statusDetailChangedAt,
    NEVER_CONNECTED: camera.createdAt,
    PICTURE_OLD: camera.pictureAt,
    WORKING: camera.pictureAt,
  };
  return starts[camera.state] ?? undefined;
}
