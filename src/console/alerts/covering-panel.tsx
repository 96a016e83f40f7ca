import { type ReactNode, useEffect, useLayoutEffect, useRef } from "react";

/** A panel in front of the stream, which keeps its position meanwhile. */
export function CoveringPanel({ labelledBy, children }: { labelledBy: string; children: ReactNode }) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus({ preventScroll: true }), []);
  // The stream keeps its position, and its width without the scroll bar.
  useLayoutEffect(() => {
    const { classList, style, clientWidth } = document.documentElement;
    style.paddingRight = `${window.innerWidth - clientWidth}px`;
    classList.add("covered");
    return () => {
      style.paddingRight = "";
      classList.remove("covered");
    };
  }, []);
  return (
    <section ref={panel} className="alert-details" aria-labelledby={labelledBy} tabIndex={-1}>
      {children}
    </section>
  );
}
