import { useEffect, useRef, useSyncExternalStore } from "react";
import { localTexts } from "../storage.js";

/**
 * A key, or several one after the other such as `g f`, and what it does. Keys are named
 * as `KeyboardEvent.key` does.
 */
export interface Shortcut {
  keys: string;
  label: string;
  run: () => void;
}

interface ShortcutGroup {
  title: string;
  shortcuts: readonly Shortcut[];
}

const storageKey = "console.shortcuts";
/** How long a sequence may take between two keys, in milliseconds. */
const sequenceTimeout = 1_200;
const listeners = new Set<() => void>();
let groups: ShortcutGroup[] = [];
let pressed: string[] = [];
let forget: ReturnType<typeof setTimeout> | undefined;
let isOn = localTexts.getItem(storageKey) !== "off";

function notify(): void {
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Whether keys are listened to: screen readers and voice control may need them for
 * themselves.
 */
export const useShortcutsOn = (): boolean => useSyncExternalStore(subscribe, () => isOn);

/** Turns all keys on or off, but for those that the browser itself has. */
export function turnShortcuts(on: boolean): void {
  isOn = on;
  localTexts.setItem(storageKey, on ? "on" : "off");
  notify();
}

/** The keys of what is shown, for the list of them. */
export const useShortcutGroups = (): readonly ShortcutGroup[] =>
  useSyncExternalStore(subscribe, () => groups);

/**
 * Registers the keys of a component as long as it is shown. Where two have the same keys,
 * the one that was shown later gets them.
 */
export function useShortcuts(title: string, shortcuts: readonly Shortcut[]): void {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  // The list shows titles and labels, and what is done is looked up when a key is
  // pressed.
  const signature = JSON.stringify(shortcuts.map(({ keys, label }) => [keys, label]));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the signature stands for the shortcuts.
  useEffect(() => {
    const group = {
      title,
      shortcuts: latest.current.map(({ keys, label }, index) => ({
        keys,
        label,
        run: () => latest.current[index]?.run(),
      })),
    };
    groups = [...groups, group];
    notify();
    return () => {
      groups = groups.filter((each) => each !== group);
      notify();
    };
  }, [title, signature]);
}

/**
 * Whether a key belongs to the element that has the focus, or to a dialog or menu in
 * front of the view, wherever the focus is.
 */
function isTaken(target: EventTarget | null): boolean {
  if (document.querySelector("dialog[open], :popover-open")) return true;
  return (
    target instanceof HTMLElement &&
    target.closest("input:not([type='checkbox']), select, textarea, [contenteditable]") !== null
  );
}

window.addEventListener("keydown", (event) => {
  if (
    !isOn ||
    event.defaultPrevented ||
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    isTaken(event.target)
  )
    return;
  clearTimeout(forget);
  forget = setTimeout(() => {
    pressed = [];
  }, sequenceTimeout);
  const sequence = [...pressed, event.key].join(" ");
  const all = groups.flatMap(({ shortcuts }) => shortcuts).reverse();
  const found = all.find(({ keys }) => keys === sequence) ?? all.find(({ keys }) => keys === event.key);
  pressed = all.some(({ keys }) => keys.startsWith(`${sequence} `)) ? [...pressed, event.key] : [];
  if (!found) return;
  event.preventDefault();
  found.run();
});
