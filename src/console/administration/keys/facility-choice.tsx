import type { Texts } from "../../form/edit-form.js";
import { StoredText } from "../../language/stored-text.js";
import { useTexts } from "./texts.js";

interface FacilityChoiceProps {
  facilities: readonly { id: string; name: string }[];
  start: Texts;
  problem: string | undefined;
}

/** A choice of facilities, each a field under its ID. To choose none is to choose all. */
export function FacilityChoice({ facilities, start, problem }: FacilityChoiceProps) {
  const apiKeys = useTexts();
  return (
    <fieldset className="choices">
      <legend>
        {apiKeys.limit} <span className="hint">{apiKeys.everywhere}</span>
      </legend>
      {facilities.map(({ id, name }) => (
        <label key={id} className="choice">
          <input type="checkbox" name={id} defaultChecked={id in start} />
          <StoredText>{name}</StoredText>
        </label>
      ))}
      {problem && <p className="problem">{problem}</p>}
    </fieldset>
  );
}

/** The IDs of the chosen facilities. */
export const chosenFacilities = (
  facilities: readonly { id: string }[],
  texts: Record<string, string>,
): string[] => facilities.map(({ id }) => id).filter((id) => id in texts);
