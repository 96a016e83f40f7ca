import { useEffect, useRef, useSyncExternalStore } from "react";
import { localTexts } from "../storage.js";

/**
 * A key or a sequence of keys such as `g f`, with its action. Keys have their names from
 * `KeyboardEvent.key`.
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
/** The maximum time between two keys of a sequence, in milliseconds. */
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

/** Whether shortcuts are on. Screen readers and voice control may need the keys. */
export const useShortcutsOn = (): boolean => useSyncExternalStore(subscribe, () => isOn);

/** Turns all shortcuts on or off, except the browser's own. */
export function turnShortcuts(on: boolean): void {
  isOn = on;
  localTexts.setItem(storageKey, on ? "on" : "off");
  notify();
}

/** The shortcuts of the shown components, for the list of shortcuts. */
export const useShortcutGroups = (): readonly ShortcutGroup[] =>
  useSyncExternalStore(subscribe, () => groups);

/**
 * Registers the shortcuts of a component while it is shown. If two components have the
 * same keys, the one shown later gets them.
 */
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
 * Whether a key belongs to the focused element, or to a dialog or menu in front of the
 * view, wherever the focus is.
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
