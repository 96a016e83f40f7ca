import type { Texts } from "../../form/edit-form.js";
import { Field } from "../../form/field.js";
import type { FieldProblems } from "../../form/field-problems.js";
import { useTexts } from "./texts.js";

const names = ["firstName", "lastName"] as const;

/** The address and the name of somebody else, so that the browser suggests none. */
export function PersonFields({ start, problems }: { start: Texts; problems: FieldProblems }) {
  const people = useTexts();
  return (
    <>
      <Field label={people.email} problem={problems.email}>
        {(attributes) => (
          <input
            {...attributes}
            name="email"
            type="email"
            required
            maxLength={320}
            autoComplete="off"
            defaultValue={start.email}
          />
        )}
      </Field>
      <div className="field-row">
        {names.map((name) => (
          <Field key={name} label={people[name]} problem={problems[name]}>
            {(attributes) => <input {...attributes} name={name} maxLength={100} defaultValue={start[name]} />}
          </Field>
        ))}
      </div>
    </>
  );
}
