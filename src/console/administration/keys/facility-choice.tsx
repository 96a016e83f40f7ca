import { Checkbox, FieldProblem } from "../../form/field.js";
import { StoredText } from "../../language/language.js";
import { useTexts } from "../texts.js";

/** A choice of facilities, each a field under its ID. To choose none is to choose all. */
export function FacilityChoice({ facilities }: { facilities: readonly { id: string; name: string }[] }) {
  const { keys: apiKeys } = useTexts();
  return (
    <fieldset className="choices">
      <legend>
        {apiKeys.limit} <span className="hint">{apiKeys.everywhere}</span>
      </legend>
      {facilities.map(({ id, name }) => (
        <Checkbox key={id} name={id}>
          <StoredText>{name}</StoredText>
        </Checkbox>
      ))}
      <FieldProblem of="facilityIds" />
    </fieldset>
  );
}

export const chosenFacilities = (facilities: readonly { id: string }[], texts: object): string[] =>
  facilities.map(({ id }) => id).filter((id) => id in texts);
