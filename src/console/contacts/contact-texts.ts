import type { ContactFieldsFragment, ContactInput } from "../../generated/console.js";
import { keysOf } from "../../platform/record.js";
import type { Texts } from "../form/field.js";

export const longest = { name: 100, role: 100, phoneNumber: 50, email: 320, note: 500 };
type ContactPart = keyof typeof longest;
export const contactParts = keysOf(longest);
export const contactNumbers = [1, 2, 3, 4, 5];

/** The name of the text for a part of a contact. */
export const contactField = (number: number, part: ContactPart): string => `contact ${number} ${part}`;

/** The contacts as texts of a form, and back. */
export const contactTexts = (contacts: readonly ContactFieldsFragment[] = []): Texts =>
  Object.fromEntries(
    contacts.flatMap((contact, index) =>
      contactParts.flatMap((part) => (contact[part] ? [[contactField(index + 1, part), contact[part]]] : [])),
    ),
  );

export const contactsIn = (texts: Texts): ContactInput[] =>
  contactNumbers.flatMap((number) => {
    const given = contactParts.flatMap((part) => {
      const text = texts[contactField(number, part)];
      return text ? [[part, text]] : [];
    });
    return given.length > 0 ? [{ name: "", ...Object.fromEntries(given) }] : [];
  });
