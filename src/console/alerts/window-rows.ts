import { type RefObject, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";

/** Rows that are rendered above and below what is in sight. */
const overscan = 2;
/** Browsers lay out no more than this, in pixels: Firefox ends at 17.8 million. */
const greatestHeight = 15_000_000;
/**
 * How much of a shortened element at either end is as long as its rows, so that scrolling
 * to an end is as it always is.
 */
const end = greatestHeight / 4;
/**
 * After how long without scrolling the scroll bar is put where it belongs, in
 * milliseconds.
 */
const pause = 150;

/** The rows of an element that are in sight, and near it. */
export interface WindowRows {
  /** Both ends are inclusive. */
  first: number;
  last: number;
  /** The height that the element needs. */
  height: number;
  /** How far below the top of the element the first row belongs. */
  top: number;
  /** How far below the top of the window a row is. */
  topOf: (row: number) => number;
  /** Scrolls down, by any number of pixels. */
  scrollBy: (distance: number) => void;
}

/**
 * Which of an element's rows, all of the same height, are in sight as the window scrolls.
 * If all rows are higher than an element can be, it is shorter than they are: then the
 * scroll bar leads to each part in proportion, and other scrolling goes as far as without
 * that.
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

  /**
   * How far the top of the window is below that of the element, and how much further
   * below the first row.
   */
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
    // A pixel of the element is many of the rows.
    const shift = scale !== 1 && Math.abs(topAt(wanted) - top) <= 1 ? wanted - top : rowsAt(top) - top;
    position.current = { top, shift, rowHeight };
    flushSync(render);
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: all else depends on these.
  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const measure = () => {
      if (!element.current || rowHeight === 0) return;
      const top = topNow();
      const { top: before, shift, rowHeight: heightBefore } = position.current;
      // The scroll bar moves by no less for a pixel of the window.
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
