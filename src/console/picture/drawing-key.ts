import { useEffect, useRef, useState } from "react";
import { useShortcuts } from "../keyboard/shortcuts.js";

/**
 * Whether the drawing on a picture is shown, and a function that shows or hides it. A key
 * does the same; held down, it does so until it is released.
 */
export function useDrawingKey(
  isAvailable: boolean,
  title: string,
  label: string,
): [isDrawn: boolean, toggle: () => void] {
  const [isDrawn, setDrawn] = useState(true);
  const toggle = () => setDrawn((present) => !present);
  const isKeyHeld = useRef(false);
  useEffect(() => {
    const release = () => {
      if (isKeyHeld.current) setDrawn((present) => !present);
      isKeyHeld.current = false;
    };
    const releaseKey = ({ key }: KeyboardEvent) => key === "d" && release();
    window.addEventListener("keyup", releaseKey);
    // Another window hears of the key from now on.
    window.addEventListener("blur", release);
    return () => {
      window.removeEventListener("keyup", releaseKey);
      window.removeEventListener("blur", release);
    };
  }, []);
  const press = (isHeld: boolean) => {
    if (isHeld) isKeyHeld.current = true;
    else toggle();
  };
  useShortcuts(title, isAvailable ? [{ keys: "d", label, run: press }] : []);
  return [isDrawn, toggle];
}
