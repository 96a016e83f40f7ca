import "./search-field.css";
import { type Ref, useEffect, useState } from "react";
import { SearchIcon } from "./icons.js";

/** How long the reader has to pause before what they typed is looked for, in milliseconds. */
const pause = 200;

interface SearchFieldProps {
  label: string;
  /** What is looked for now. */
  value: string;
  onChange: (text: string) => void;
  ref?: Ref<HTMLInputElement>;
}

/** A field for a text to look for, which follows the reader and what else changes it, such as going back. */
export function SearchField({ label, value, onChange, ref }: SearchFieldProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onChange(text), pause);
    return () => clearTimeout(timer);
  });
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
        onKeyDown={(event) => event.key === "Escape" && (text === "" ? event.currentTarget.blur() : setText(""))}
      />
      <span className="search-key" aria-hidden="true">
        <kbd>/</kbd>
      </span>
    </search>
  );
}
