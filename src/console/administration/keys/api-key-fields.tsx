import type { Texts } from "../../form/edit-form.js";
import { Field } from "../../form/field.js";
import type { FieldProblems } from "../../form/field-problems.js";
import { useTexts } from "./texts.js";

interface ApiKeyFieldProps {
  start: Texts;
  problems: FieldProblems;
}

/** The name of an API key. */
export function KeyNameField({ start, problems }: ApiKeyFieldProps) {
  const apiKeys = useTexts();
  return (
    <Field label={apiKeys.name} problem={problems.name}>
      {(attributes) => (
        <input {...attributes} name="name" required maxLength={200} defaultValue={start.name} />
      )}
    </Field>
  );
}

/** When an API key expires; empty for never. */
export function KeyExpiryField({ start, problems }: ApiKeyFieldProps) {
  const apiKeys = useTexts();
  return (
    <Field label={apiKeys.expires} hint={apiKeys.never} problem={problems.expiresAt}>
      {(attributes) => (
        <input {...attributes} name="expiresAt" type="datetime-local" defaultValue={start.expiresAt} />
      )}
    </Field>
  );
}
