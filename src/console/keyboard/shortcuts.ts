import { useEffect, useRef, useSyncExternalStore } from "react";
import { Listeners } from "../listeners.js";
import { localTexts } from "../storage.js";
import { keyIn, space } from "./pressed-key.js";

const isApple = /^(?:Mac|iP)/.test(navigator.platform);

export const command = (letter: string): string => (isApple ? `⌘${letter}` : `Ctrl+${letter}`);

/** The command of a pressed key; undefined if it is none. */
export function commandIn(event: {
  key: string;
  code: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}): string | undefined {
  const isCommand = isApple ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
  return isCommand && !event.altKey && !event.shiftKey ? command(keyIn(event).toUpperCase()) : undefined;
}

/**
 * A key or a sequence of keys such as `g f`, with its action. Keys have their names from `KeyboardEvent.key`, except
 * for `Space`. A {@link command} works while the reader is typing, too. The action is told whether the key has been
 * held down since it ran before. If it returns false, the key is left to the browser.
 */
interface Shortcut {
  keys: string;
  label: string;
  run: (isHeld: boolean) => unknown;
}

interface ShortcutGroup {
  title: string;
  shortcuts: readonly Shortcut[];
}

const storageKey = "console.shortcuts";
/** The maximum time between two keys of a sequence, in milliseconds. */
const sequenceTimeout = 1_200;
const listeners = new Listeners();
let groups: ShortcutGroup[] = [];
let pressed: string[] = [];
let forget: ReturnType<typeof setTimeout> | undefined;
/** The last key that went to a field or a dialog, when, and where. */
let taken: { code: string; at: number; by: Element } | undefined;
let isOn = localTexts.getItem(storageKey) !== "off";

/** Whether shortcuts are on. Screen readers and voice control may need the keys. */
export const useShortcutsOn = (): boolean => useSyncExternalStore(listeners.add, () => isOn);

/** Turns all shortcuts on or off, except the browser's own. */
export function switchShortcuts(on: boolean): void {
  isOn = on;
  localTexts.setItem(storageKey, on ? "on" : "off");
  listeners.notify();
}

/** The shortcuts of the shown components, for the list of shortcuts. */
export const useShortcutGroups = (): readonly ShortcutGroup[] =>
  useSyncExternalStore(listeners.add, () => groups);

/** Registers the shortcuts of a component while it is shown. The component shown last gets keys that several have. */
export function useShortcuts(title: string, shortcuts: readonly Shortcut[]): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  // The list shows titles and labels only. Pressing a key looks up its current action.
  const signature = JSON.stringify(shortcuts.map(({ keys, label }) => [keys, label]));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the signature stands for the shortcuts.
  useEffect(() => {
    const group = {
      title,
      shortcuts: latest.current.map(({ keys, label }, index) => ({
        keys,
        label,
        run: (isHeld: boolean) => latest.current[index]?.run(isHeld),
      })),
    };
    groups = [...groups, group];
    listeners.notify();
    return () => {
      groups = groups.filter((each) => each !== group);
      listeners.notify();
    };
  }, [title, signature]);
}

/**
 * To what a key belongs: the focused element, or a dialog or menu in front of the view, wherever the focus is; null if
 * to nothing.
 */
function takerOf(target: EventTarget | null, key: string, isCommand: boolean): Element | null {
  const inFront = document.querySelector(isCommand ? "dialog[open]" : "dialog[open], :popover-open");
  if (inFront || isCommand || !(target instanceof HTMLElement)) return inFront;
  return target.closest(
    `${key === space ? "input, button, summary" : "input:not([type='checkbox'])"}, select, textarea, [contenteditable]`,
  );
}

/**
 * How long after the last key, or after a field or a dialog has closed, those who type on are not aware of that, in
 * milliseconds.
 */
const typingPause = 700;
/** When something last closed that took keys. */
let closedAt = Number.NEGATIVE_INFINITY;

/** Notes that a field or a dialog closes now. */
export const noteClosing = (): void => {
  closedAt = performance.now();
};

/** Whether a key was meant for a field or a dialog that has just closed: it is held down, or one of several typed. */
function isTypedOn({ code, repeat, timeStamp }: KeyboardEvent) {
  if (!taken) return false;
  if (repeat && code === taken.code) return true;
  // Escape is pressed to leave, and nobody types into a button.
  if (taken.code === "Escape" || taken.by.matches("button") || taken.by.checkVisibility()) return false;
  return timeStamp - Math.max(taken.at, closedAt) < typingPause;
}

/** Whether a key is none of the view's. Remembers to what it belongs. Nobody types a command by accident. */
function isTaken(event: KeyboardEvent, by: Element | null, isCommand: boolean) {
  const { code, repeat, timeStamp: at } = event;
  if (by) taken = { code, at, by };
  else if (isCommand) return repeat && code === taken?.code;
  else if (!isTypedOn(event)) taken = undefined;
  else if (taken && !repeat) taken = { ...taken, code, at };
  return taken !== undefined;
}

window.addEventListener("keydown", (event) => {
  // Held down on a button, Enter presses it once.
  if (event.repeat && event.key === "Enter" && event.target instanceof HTMLButtonElement)
    event.preventDefault();
  const pressedCommand = commandIn(event);
  const isCommand = pressedCommand !== undefined;
  const key = pressedCommand ?? keyIn(event);
  if (
    !isOn ||
    event.defaultPrevented ||
    event.isComposing ||
    (!isCommand && (event.ctrlKey || event.metaKey || event.altKey)) ||
    isTaken(event, takerOf(event.target, key, isCommand), isCommand)
  )
    return;
  clearTimeout(forget);
  forget = setTimeout(() => {
    pressed = [];
  }, sequenceTimeout);
  const sequence = [...pressed, key].join(" ");
  const all = groups.flatMap(({ shortcuts }) => shortcuts).reverse();
  const found = all.find(({ keys }) => keys === sequence) ?? all.find(({ keys }) => keys === key);
  pressed = all.some(({ keys }) => keys.startsWith(`${sequence} `)) ? [...pressed, key] : [];
  if (found && found.run(event.repeat) !== false) event.preventDefault();
});
