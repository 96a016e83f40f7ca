import "./filter-menu.css";
import { type ReactNode, useId, useRef, useState } from "react";
import { Checkbox } from "../../form/field.js";
import { StoredText } from "../../language/language.js";

interface FilterMenuProps {
  label: string;
  /** The chosen value in words; undefined if nothing is left out. */
  value: string | undefined;
  /** The choices, rendered while the menu is open. */
  children: () => ReactNode;
}

/** The minimum height of a menu, in pixels: a lower one shows too few choices at once. */
const leastHeight = 200;

/** A button that shows the value of a filter, with a menu to change it. */
export function FilterMenu({ label, value, children }: FilterMenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLFieldSetElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  /** Opens the menu below the button or, without space there, with the height of the window, always inside it. */
  const position = () => {
    if (!button.current || !menu.current) return;
    const { left, bottom } = button.current.getBoundingClientRect();
    const { style, offsetWidth } = menu.current;
    style.left = `${Math.max(12, Math.min(left, window.innerWidth - offsetWidth - 12))}px`;
    const fits = window.innerHeight - bottom - 24 >= leastHeight;
    style.top = fits ? `${bottom + 6}px` : "auto";
    style.bottom = fits ? "auto" : "12px";
    style.maxHeight = `${window.innerHeight - 24 - (fits ? bottom : 0)}px`;
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className="filter-button"
        data-set={value !== undefined}
        popoverTarget={id}
      >
        <span>{label}</span>
        {value !== undefined && <strong>{value}</strong>}
        <span aria-hidden="true">▾</span>
      </button>
      <fieldset
        ref={menu}
        id={id}
        popover="auto"
        className="filter-menu"
        aria-label={label}
        onToggle={(event) => {
          setIsOpen(event.newState === "open");
          position();
        }}
      >
        {isOpen && children()}
      </fieldset>
    </>
  );
}

interface ChoiceListProps {
  options: readonly { value: string; text: string; hint?: string }[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}

export function ChoiceList({ options, chosen, onChange }: ChoiceListProps) {
  return options.map(({ value, text, hint }) => (
    <Checkbox
      key={value}
      checked={chosen.includes(value)}
      onChange={({ target }) =>
        onChange(target.checked ? [...chosen, value] : chosen.filter((each) => each !== value))
      }
    >
      <span>
        <StoredText>{text}</StoredText>
        {hint && (
          <span className="hint">
            {" "}
            <StoredText>{hint}</StoredText>
          </span>
        )}
      </span>
    </Checkbox>
  ));
}
