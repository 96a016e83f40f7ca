import { useId } from "react";

interface SingleChoiceProps<Value extends string> {
  /** The name of the field, with which its form is sent; absent outside of forms. */
  name?: string;
  label: string;
  options: readonly { value: Value; text: string }[];
  chosen: Value;
  onChange: (value: Value) => void;
}

/** A list for exactly one choice. */
export function SingleChoice<Value extends string>({
  name,
  label,
  options,
  chosen,
  onChange,
}: SingleChoiceProps<Value>) {
  const id = useId();
  return (
    <fieldset className="choices">
      <legend>{label}</legend>
      {options.map(({ value, text }) => (
        <label key={value} className="choice">
          <input
            type="radio"
            name={name ?? id}
            value={value}
            checked={value === chosen}
            onChange={() => onChange(value)}
          />
          {text}
        </label>
      ))}
    </fieldset>
  );
}
