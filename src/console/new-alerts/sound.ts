import { isChosen } from "./choices.js";

/** The two notes of the sound, in hertz, and the length of each, in seconds. */
const notes = [880, 1_174.7];
const length = 0.18;
/** The minimum time between two sounds in all tabs together, in milliseconds. */
const pause = 3_000;

let context: AudioContext | undefined;

/** Plays the sound at once. Browsers allow it only while they handle an input of the reader. */
export async function playSound(): Promise<void> {
  context ??= new AudioContext();
  await context.resume();
  const start = context.currentTime + 0.02;
  for (const [index, frequency] of notes.entries()) {
    const from = start + index * length;
    const volume = new GainNode(context, { gain: 0 });
    volume.gain.setValueAtTime(0, from);
    volume.gain.linearRampToValueAtTime(0.2, from + 0.01);
    volume.gain.exponentialRampToValueAtTime(0.001, from + length);
    const note = new OscillatorNode(context, { frequency });
    note.connect(volume).connect(context.destination);
    note.start(from);
    note.stop(from + length);
  }
}

/** Plays the sound for a new alert, if that is chosen: in one tab only, and not again within a few seconds. */
export function soundNewAlert(): void {
  if (!isChosen("sound") || context?.state !== "running") return;
  const play = async () => {
    await playSound();
    await new Promise((resolve) => setTimeout(resolve, pause));
  };
  // Browsers have locks only on secure origins. Elsewhere each tab sounds.
  if (!("locks" in navigator)) void playSound();
  else void navigator.locks.request("console.sound", { ifAvailable: true }, (lock) => lock && play());
}

/** Browsers let a page sound only after its reader has touched it. */
export function allowSoundOnFirstTouch(): () => void {
  const allow = () => {
    if (!isChosen("sound")) return;
    context ??= new AudioContext();
    void context.resume();
  };
  const events = ["pointerdown", "keydown"];
  for (const event of events) window.addEventListener(event, allow);
  return () => {
    for (const event of events) window.removeEventListener(event, allow);
  };
}
