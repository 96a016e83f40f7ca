import { Options } from "../../form/field.js";
import { useTexts } from "./texts.js";

interface SettingChoiceProps {
  label: string;
  value: string | undefined;
  options: readonly [value: string, label: string][];
  onChange: (value: string | undefined) => void;
}

export function SettingChoice({ label, value, options, onChange }: SettingChoiceProps) {
  const notifications = useTexts();
  return (
    <label className="setting-choice">
      {label}
      <select
        value={value ?? ""}
        onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
      >
        <option value="">{notifications.all}</option>
        <Options of={options} />
      </select>
    </label>
  );
}
