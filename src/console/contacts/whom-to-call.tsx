import "./contacts.css";
import { useQuery } from "urql";
import { AlertContactsDocument, type CameraContactsFragment } from "../../generated/console.js";
import { StoredText } from "../language/language.js";
import { useTexts } from "./texts.js";

/** What people noted about a camera, and whom to call about it or its facility; nothing without either. */
export function WhomToCall({ camera: { note, contacts, facility } }: { camera: CameraContactsFragment }) {
  const texts = useTexts();
  const all = [...contacts, ...facility.contacts];
  if (all.length === 0 && note === null) return null;
  return (
    <section className="whom-to-call">
      <h3>{texts.title}</h3>
      <ul>
        {all.map(({ name, role, phoneNumber, email, note }) => (
          <li key={[name, phoneNumber, email].join()}>
            <strong>
              <StoredText>{name}</StoredText>
            </strong>
            {role && (
              <>
                , <StoredText>{role}</StoredText>
              </>
            )}{" "}
            {phoneNumber && <a href={`tel:${phoneNumber.replace(/[^\d+]/g, "")}`}>{phoneNumber}</a>}{" "}
            {email && <a href={`mailto:${encodeURIComponent(email)}`}>{email}</a>}
            {note && (
              <p className="hint">
                <StoredText>{note}</StoredText>
              </p>
            )}
          </li>
        ))}
      </ul>
      {note !== null && (
        <p>
          <StoredText>{note}</StoredText>
        </p>
      )}
    </section>
  );
}

export function AlertContacts({ camera }: { camera: string }) {
  const [{ data }] = useQuery({ query: AlertContactsDocument, variables: { camera } });
  return data?.camera && <WhomToCall camera={data.camera} />;
}
