import "./search-field.css";
import { type Ref, useEffect, useRef, useState } from "react";
import { currentQuery } from "../navigation/location.js";
import { SearchIcon } from "./icons.js";

/**
 * How long the reader has to pause before what they typed is looked for, in milliseconds.
 */
const pause = 200;

interface SearchFieldProps {
  label: string;
  /** What is looked for now. */
  value: string;
  onChange: (text: string) => void;
  ref?: Ref<HTMLInputElement>;
}

/**
 * A field for a text to look for, which follows the reader and what else changes it, such
 * as going back.
 */
export function SearchField({ label, value, onChange, ref }: SearchFieldProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onChange(text), pause);
    return () => clearTimeout(timer);
  });
  const latest = useRef(() => {});
  const query = currentQuery();
  latest.current = () => text !== value && currentQuery() === query && onChange(text);
  // A session may end while the reader is typing: it is there again after signing in.
  // Whoever has gone elsewhere wants it no more.
  useEffect(() => () => latest.current(), []);
  return (
    <search className="search-field">
      <SearchIcon />
      <input
        ref={ref}
        type="search"
        aria-label={label}
        placeholder={label}
        maxLength={200}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) =>
          event.key === "Escape" && (text === "" ? event.currentTarget.blur() : setText(""))
        }
      />
      <span className="search-key" aria-hidden="true">
        <kbd>/</kbd>
      </span>
    </search>
  );
}
