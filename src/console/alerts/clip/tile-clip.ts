import { type FocusEvent, type PointerEvent, useEffect, useRef, useState } from "react";

/** How long a tile is looked at before its clip is loaded, in milliseconds: not while the pointer passes by. */
const pause = 300;

/** Ends the clip that plays in a tile, or is about to: only one does. */
let endPresent = () => {};

/** Whether the clip of a tile is played, and the handlers of the tile that decide it: under a mouse, or with the focus. */
export function useTileClip(): [isPlaying: boolean, handlers: object] {
  const [isPlaying, setPlaying] = useState(false);
  const end = useRef(() => {});
  useEffect(() => () => end.current(), []);
  const begin = () => {
    endPresent();
    if (!matchMedia("(hover: hover) and (prefers-reduced-motion: no-preference)").matches) return;
    const timer = setTimeout(() => setPlaying(true), pause);
    end.current = () => {
      clearTimeout(timer);
      setPlaying(false);
    };
    endPresent = end.current;
  };
  const leave = () => end.current();
  return [
    isPlaying,
    {
      onPointerEnter: ({ pointerType }: PointerEvent) => pointerType === "mouse" && begin(),
      onPointerLeave: leave,
      onFocus: ({ target }: FocusEvent) => target.matches(":focus-visible") && begin(),
      onBlur: leave,
    },
  ];
}
