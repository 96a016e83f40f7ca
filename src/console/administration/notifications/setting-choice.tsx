import { Options } from "../../form/field.js";
import { changeQuery, useAddress } from "../../navigation/location.js";
import { useTexts } from "./texts.js";

interface SettingChoiceProps {
  /** The name of the choice in the address. */
  name: string;
  label: string;
  options: readonly [value: string, label: string][];
}

export function SettingChoice({ name, label, options }: SettingChoiceProps) {
  const notifications = useTexts();
  return (
    <label className="setting-choice">
      {label}
      <select
        value={useAddress().get(name) ?? ""}
        onChange={({ currentTarget }) => changeQuery({ [name]: currentTarget.value || undefined })}
      >
        <option value="">{notifications.all}</option>
        <Options of={options} />
      </select>
    </label>
  );
}
