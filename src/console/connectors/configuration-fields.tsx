import { useState } from "react";
import { Options, TextField, useForm } from "../form/field.js";
import { loginFields, secretFields } from "./connector-configuration.js";
import { useTexts } from "./texts.js";

interface SecretFieldProps {
  /** The name of the secret's field. */
  secret: string;
  label: string;
}

/** Where the connector finds a secret: in a file, or in its environment. */
export function SecretField({ secret, label }: SecretFieldProps) {
  const { form } = useTexts();
  const { start } = useForm();
  const { place, source } = secretFields(secret);
  return (
    <fieldset className="secret-field">
      <legend>{label}</legend>
      <select name={place} aria-label={form.place(label)} defaultValue={start[place] ?? "file"}>
        <Options of={Object.entries(form.places)} />
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
}

/**
 * A user, and where the connector finds the password, if there is a login at all; and
 * whom it trusts.
 */
export function LoginFields({ of, title }: LoginFieldsProps) {
  const { form } = useTexts();
  const fields = loginFields(of);
  const [username, setUsername] = useState(useForm().start[fields.username] ?? "");
  return (
    <>
      <TextField
        name={fields.username}
        label={form.username}
        hint={form.usernameHint}
        autoComplete="off"
        onChange={({ currentTarget }) => setUsername(currentTarget.value)}
      />
      {username.trim() !== "" && (
        <SecretField secret={fields.password} label={`${form.password} (${title})`} />
      )}
      <TextField name={fields.caFile} label={form.caFile} hint={form.caFileHint} />
    </>
  );
}
