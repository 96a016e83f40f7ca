import "./camera-state.css";
import type { CameraConditionFragment } from "../../generated/console.js";
import { StoredText, useLanguage, useNow } from "../language/language.js";
import { startOfState } from "./camera-states.js";
import { useTexts } from "./texts.js";

export function StateName({ camera: { state, statusDetail } }: { camera: CameraConditionFragment }) {
  const { messages, words } = useLanguage();
  if (state !== "FAULT_REPORTED") return messages.fleet.states[state];
  return <StoredText>{words.statusDetail(statusDetail)}</StoredText>;
}

/** How long ago the state of a camera began; nothing if that is unknown. */
export function StateAge({ camera }: { camera: CameraConditionFragment }) {
  const { formats } = useLanguage();
  const texts = useTexts();
  const now = useNow();
  const start = startOfState(camera);
  if (start === undefined) return null;
  return texts.stateAges[camera.state](formats.relative(start, now));
}
