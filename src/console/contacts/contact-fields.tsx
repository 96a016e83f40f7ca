import "./contacts.css";
import { useState } from "react";
import type { ContactFieldsFragment, ContactInput } from "../../generated/console.js";
import { keysOf } from "../../platform/record.js";
import { FieldProblem, TextField, type Texts, useForm } from "../form/field.js";
import { useTexts } from "./texts.js";

const maxContacts = 5;
const longest = { name: 100, role: 100, phoneNumber: 50, email: 320, note: 500 };
const parts = keysOf(longest);
const numbers = Array.from({ length: maxContacts }, (_, index) => index);
const fieldOf = (index: number, part: string) => `contact ${index} ${part}`;

/** The contacts as texts of a form, and back. */
export const contactTexts = (contacts: readonly ContactFieldsFragment[] = []): Texts =>
  Object.fromEntries(
    contacts.flatMap((contact, index) =>
      parts.flatMap((part) => (contact[part] ? [[fieldOf(index, part), contact[part]]] : [])),
    ),
  );

export const contactsIn = (texts: Texts): ContactInput[] =>
  numbers.flatMap((index) => {
    const given = parts.flatMap((part) => {
      const text = texts[fieldOf(index, part)];
      return text ? [[part, text]] : [];
    });
    return given.length > 0 ? [{ name: "", ...Object.fromEntries(given) }] : [];
  });

/** Whom to call, in a form: it opens on request, and where something is wrong. */
export function ContactFields() {
  const texts = useTexts();
  const { start, problems } = useForm();
  const given = contactsIn(start).length;
  const [shown, setShown] = useState(Math.max(1, given));
  return (
    <details {...("contacts" in problems && { open: true })}>
      <summary>
        {texts.title} {given > 0 && <span className="badge">{given}</span>}
      </summary>
      <div className="edit-form">
        {numbers.slice(0, shown).map((index) => (
          <fieldset key={index} className="contact">
            <legend>{texts.person(index + 1)}</legend>
            {parts.map((part) => (
              <TextField
                key={part}
                name={fieldOf(index, part)}
                label={texts.parts[part]}
                maxLength={longest[part]}
                autoComplete="off"
                {...(part === "phoneNumber" && { type: "tel" })}
              />
            ))}
          </fieldset>
        ))}
        <FieldProblem of="contacts" />
        {shown < maxContacts && (
          <button type="button" onClick={() => setShown(shown + 1)}>
            {texts.add}
          </button>
        )}
      </div>
    </details>
  );
}
