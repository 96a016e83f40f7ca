import { useCallback, useRef } from "react";
import type { AlertStream } from "./alert-stream.js";

/** The maximum number of alerts that the API marks at once. */
const mostSelected = 1_000;

interface Selecting {
  stream: AlertStream;
  /** Whether the viewer may mark an alert. Others cannot be selected. */
  mayMark: (id: string) => boolean;
  selected: ReadonlySet<string>;
  setSelected: (selected: ReadonlySet<string>) => void;
}

/**
 * A function that selects or deselects an alert. With `isRange`, includes the alerts
 * between it and the one selected before. It stays the same: with another one, all tiles
 * would be rendered again.
 */
export function useSelecting(selecting: Selecting): (id: string, isRange: boolean) => void {
  const latest = useRef(selecting);
  latest.current = selecting;
  const lastSelected = useRef<string>(undefined);
  return useCallback((id, isRange) => {
    const { stream, mayMark, selected, setSelected } = latest.current;
    const next = new Set(selected);
    const add = (each: string) => mayMark(each) && next.size < mostSelected && next.add(each);
    const from = isRange && lastSelected.current !== undefined ? stream.indexOf(lastSelected.current) : -1;
    if (from < 0) next.delete(id) || add(id);
    else {
      const to = stream.indexOf(id);
      for (const each of stream.between(Math.min(from, to), Math.max(from, to))) add(each.id);
    }
    lastSelected.current = id;
    setSelected(next);
  }, []);
}
