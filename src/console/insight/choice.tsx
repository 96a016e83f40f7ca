interface ChoiceProps<Option extends string> {
  label: string;
  options: Record<Option, string>;
  value: Option | undefined;
  /** The options that can be chosen; all by default. */
  possible?: readonly Option[];
  onChoose: (option: Option) => void;
}

/** Buttons of which one is pressed. */
export function Choice<Option extends string>({
  label,
  options,
  value,
  possible,
  onChoose,
}: ChoiceProps<Option>) {
  return (
    <fieldset className="segments">
      <legend className="visually-hidden">{label}</legend>
      {Object.entries<string>(options).map(([option, text]) => (
        <button
          key={option}
          type="button"
          aria-pressed={option === value}
          disabled={possible && !possible.includes(option as Option)}
          onClick={() => onChoose(option as Option)}
        >
          {text}
        </button>
      ))}
    </fieldset>
  );
}
