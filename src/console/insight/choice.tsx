interface ChoiceProps<Option extends string> {
  label: string;
  options: Record<Option, string>;
  value: Option | undefined;
  onChoose: (option: Option) => void;
}

/** Buttons of which one is pressed. */
export function Choice<Option extends string>({ label, options, value, onChoose }: ChoiceProps<Option>) {
  return (
    <fieldset className="segments">
      <legend className="visually-hidden">{label}</legend>
      {Object.entries<string>(options).map(([option, text]) => (
        <button key={option} type="button" aria-pressed={option === value} onClick={() => onChoose(option as Option)}>
          {text}
        </button>
      ))}
    </fieldset>
  );
}
