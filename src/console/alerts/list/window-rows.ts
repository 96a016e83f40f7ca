import { type RefObject, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";

/** The number of rows that are rendered above and below those in sight. */
const overscan = 2;
/** The maximum height that browsers lay out, in pixels. Firefox stops at 17.8 million. */
const greatestHeight = 15_000_000;
/**
 * The height at either end of a shortened element that has full-size rows, in pixels. Scrolling to an end
 * feels as usual.
 */
const end = greatestHeight / 4;
/** The pause in scrolling after which the scroll bar moves to its true position, in milliseconds. */
const pause = 150;

/** The rows of an element that are in sight, and near it. */
interface WindowRows {
  first: number;
  last: number;
  /** The height of the element. */
  height: number;
  /** The distance of the first row from the top of the element. */
  top: number;
  /** The distance of a row from the top of the window. */
  topOf: (row: number) => number;
  scrollBy: (distance: number) => void;
}

/**
 * The rows of an element, all of the same height, that are in sight as the window scrolls. An element has a maximum
 * height: if its rows exceed it, the scroll bar leads to each part in proportion, while other scrolling covers its
 * usual distance.
 */
export function useWindowRows(
  element: RefObject<HTMLElement | null>,
  rowHeight: number,
  rowCount: number,
): WindowRows {
  const fullHeight = rowHeight * rowCount;
  const height = Math.min(fullHeight, greatestHeight);
  const scale = height < fullHeight ? (fullHeight - 2 * end) / (height - 2 * end) : 1;
  const rowsAt = (top: number) => {
    if (scale === 1 || top < end) return top;
    return top > height - end ? top + fullHeight - height : end + (top - end) * scale;
  };
  const topAt = (rows: number) => {
    if (scale === 1 || rows < end) return rows;
    return rows > fullHeight - end ? rows - fullHeight + height : end + (rows - end) / scale;
  };
  const topNow = () => -(element.current?.getBoundingClientRect().top ?? 0);

  /** The distance of the window's top below the top of the element, and its further distance below the first row. */
  const position = useRef({ top: 0, shift: 0, rowHeight });
  const [rows, setRows] = useState({ first: 0, last: 0, shift: 0 });
  const render = () => {
    const { top, shift } = position.current;
    const within = (row: number) => Math.max(0, Math.min(rowCount - 1, Math.floor(row)));
    const first = within((top + shift) / rowHeight - overscan);
    const last = within((top + shift + window.innerHeight) / rowHeight + overscan);
    setRows((present) =>
      present.first === first && present.last === last && present.shift === shift
        ? present
        : { first, last, shift },
    );
  };
  const scrollBy = (distance: number) => {
    const wanted = topNow() + position.current.shift + distance;
    window.scrollBy(0, topAt(wanted) - topNow());
    const top = topNow();
    // One pixel of the element stands for many pixels of its rows.
    const shift = scale !== 1 && Math.abs(topAt(wanted) - top) <= 1 ? wanted - top : rowsAt(top) - top;
    position.current = { top, shift, rowHeight };
    flushSync(render);
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: all other values depend on these.
  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const measure = () => {
      if (!element.current || rowHeight === 0) return;
      const top = topNow();
      const { top: before, shift, rowHeight: heightBefore } = position.current;
      // Moving the scroll bar by one pixel scrolls at least this far.
      const isLeap =
        Math.abs(top - before) > greatestHeight / window.innerHeight / 2 || heightBefore !== rowHeight;
      const isAtEnd = top <= 0 || top >= height - window.innerHeight;
      position.current = {
        top,
        shift: scale === 1 || isLeap || isAtEnd ? rowsAt(top) - top : shift,
        rowHeight,
      };
      render();
      clearTimeout(timer);
      if (scale !== 1)
        timer = setTimeout(
          () => Math.abs(topAt(top + position.current.shift) - top) > 1 && scrollBy(0),
          pause,
        );
    };
    measure();
    window.addEventListener("scroll", measure, { passive: true });
    window.addEventListener("resize", measure);
    return () => {
      clearTimeout(timer);
      window.removeEventListener("scroll", measure);
      window.removeEventListener("resize", measure);
    };
  }, [element, rowHeight, rowCount]);
  return {
    first: rows.first,
    last: rows.last,
    height,
    top: rows.first * rowHeight - rows.shift,
    topOf: (row) => row * rowHeight - position.current.shift - topNow(),
    scrollBy,
  };
}
