import "./search-field.css";
import { type Ref, useEffect, useRef, useState } from "react";
import { changeQuery, currentQuery, useAddress } from "../navigation/location.js";
import { SearchIcon } from "./icons.js";

/** The pause in typing before a search starts, in milliseconds. */
const pause = 200;

interface SearchFieldProps {
  label: string;
  value: string;
  onChange: (text: string) => void;
  /** Given where the key / leads to the field, which then shows it. */
  ref?: Ref<HTMLInputElement>;
}

/** A field for a search text. Follows the reader's typing, and other changes such as going back. */
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
  // If the session ends while the reader is typing, the text is back after signing in.
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
        onKeyDown={(event) => {
          // It would send the form around it.
          if (event.key === "Enter") event.preventDefault();
          if (event.key === "Escape") text === "" ? event.currentTarget.blur() : setText("");
        }}
      />
      {ref && (
        <span className="search-key" aria-hidden="true">
          <kbd>/</kbd>
        </span>
      )}
    </search>
  );
}

/** A field for the text in the address, by which a list is searched. */
export const AddressSearch = (field: Pick<SearchFieldProps, "label" | "ref">) => (
  <SearchField
    {...field}
    value={useAddress().get("text") ?? ""}
    onChange={(text) => changeQuery({ text }, { replace: true })}
  />
);
