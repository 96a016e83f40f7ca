import { type InputHTMLAttributes, useState } from "react";
import type { Texts } from "../form/edit-form.js";
import { Field } from "../form/field.js";
import { loginFields, secretFields } from "./connector-configuration.js";
import { useTexts } from "./texts.js";

interface TextFieldProps extends InputHTMLAttributes<HTMLInputElement> {
  name: string;
  label: string;
  hint?: string;
  start: Texts;
  isOptional?: boolean;
}

/** A labelled text of the configuration. */
export function TextField({ label, hint, start, isOptional = false, ...input }: TextFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {(attributes) => (
        <input {...attributes} {...input} required={!isOptional} defaultValue={start[input.name]} />
      )}
    </Field>
  );
}

interface SecretFieldProps {
  /** The name of the secret's field. */
  secret: string;
  label: string;
  start: Texts;
}

/** Where the connector finds a secret: in a file, or in its environment. */
export function SecretField({ secret, label, start }: SecretFieldProps) {
  const { form } = useTexts();
  const { place, source } = secretFields(secret);
  return (
    <fieldset className="secret-field">
      <legend>{label}</legend>
      <select name={place} aria-label={form.place(label)} defaultValue={start[place] ?? "file"}>
        {Object.entries(form.places).map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
      <input
        name={source}
        aria-label={form.source(label)}
        required
        spellCheck={false}
        defaultValue={start[source]}
      />
    </fieldset>
  );
}

interface LoginFieldsProps {
  /** What the connector signs in to, in the names of the fields. */
  of: string;
  title: string;
  start: Texts;
}

/**
 * A user, and where the connector finds the password, if there is a login at all; and
 * whom it trusts.
 */
export function LoginFields({ of, title, start }: LoginFieldsProps) {
  const { form } = useTexts();
  const fields = loginFields(of);
  const [username, setUsername] = useState(start[fields.username] ?? "");
  return (
    <>
      <Field label={form.username} hint={form.usernameHint}>
        {(attributes) => (
          <input
            {...attributes}
            name={fields.username}
            autoComplete="off"
            value={username}
            onChange={({ currentTarget }) => setUsername(currentTarget.value)}
          />
        )}
      </Field>
      {username.trim() !== "" && (
        <SecretField secret={fields.password} label={`${form.password} (${title})`} start={start} />
      )}
      <TextField name={fields.caFile} label={form.caFile} hint={form.caFileHint} start={start} isOptional />
    </>
  );
}
