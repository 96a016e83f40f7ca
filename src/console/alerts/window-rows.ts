import { type RefObject, useLayoutEffect, useState } from "react";

/** Rows that are rendered above and below what is in sight. */
const overscan = 2;

/** Which of an element's rows, all of the same height, are in sight as the window scrolls, and near it; both ends are inclusive. */
export function useWindowRows(element: RefObject<HTMLElement | null>, rowHeight: number, rowCount: number): { first: number; last: number } {
  const [rows, setRows] = useState({ first: 0, last: 0 });
  useLayoutEffect(() => {
    const measure = () => {
      if (!element.current || rowHeight === 0) return;
      const top = -element.current.getBoundingClientRect().top;
      const within = (row: number) => Math.max(0, Math.min(rowCount - 1, Math.floor(row)));
      const first = within(top / rowHeight - overscan);
      const last = within((top + window.innerHeight) / rowHeight + overscan);
      setRows((present) => (present.first === first && present.last === last ? present : { first, last }));
    };
    measure();
    window.addEventListener("scroll", measure, { passive: true });
    window.addEventListener("resize", measure);
    return () => {
      window.removeEventListener("scroll", measure);
      window.removeEventListener("resize", measure);
    };
  }, [element, rowHeight, rowCount]);
  return rows;
}
