import "./contacts.css";
import { useState } from "react";
import { FieldProblem, TextField, useForm } from "../form/field.js";
import { contactField, contactNumbers, contactParts, contactsIn, longest } from "./contact-texts.js";
import { useTexts } from "./texts.js";

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
        {contactNumbers.slice(0, shown).map((number) => (
          <fieldset key={number} className="contact">
            <legend>{texts.person(number)}</legend>
            {contactParts.map((part) => (
              <TextField
                key={part}
                name={contactField(number, part)}
                label={texts.parts[part]}
                maxLength={longest[part]}
                autoComplete="off"
                {...(part === "phoneNumber" && { type: "tel" })}
              />
            ))}
          </fieldset>
        ))}
        <FieldProblem of="contacts" />
        {shown < contactNumbers.length && (
          <button type="button" onClick={() => setShown(shown + 1)}>
            {texts.add}
          </button>
        )}
      </div>
    </details>
  );
}
