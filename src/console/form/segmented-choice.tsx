import "./segmented-choice.css";
import { entriesOf } from "../../platform/record.js";

interface SegmentedChoiceProps<Option extends string> {
  label: string;
  options: Record<Option, string>;
  value: Option | undefined;
  /** The options that can be chosen; all by default. */
  possible?: readonly Option[];
  onChoose: (option: Option) => void;
}

/** Buttons of which one is pressed. */
export function SegmentedChoice<Option extends string>({
  label,
  options,
  value,
  possible,
  onChoose,
}: SegmentedChoiceProps<Option>) {
  return (
    <fieldset className="segments">
      <legend className="visually-hidden">{label}</legend>
      {entriesOf(options).map(([option, text]) => (
        <button
          key={option}
          type="button"
          aria-pressed={option === value}
          disabled={possible && !possible.includes(option)}
          onClick={() => onChoose(option)}
        >
          {text}
        </button>
      ))}
    </fieldset>
  );
}
