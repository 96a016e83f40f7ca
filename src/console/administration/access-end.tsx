import { TextField } from "../form/field.js";
import { Moment, useNow } from "../language/language.js";
import { localInputValue } from "../language/time-zones.js";
import { useTexts } from "./texts.js";

/** When access ends; empty for never. */
export function EndField({ name, label }: { name: string; label: string }) {
  return <TextField name={name} label={label} hint={useTexts().keys.never} type="datetime-local" />;
}

/** The end in such a field; null for never. Undefined if it was not edited: the field has only minutes. */
export function changedEnd(text = "", before?: string | null): string | null | undefined {
  if (text === localInputValue(before)) return undefined;
  return text === "" ? null : new Date(text).toISOString();
}

export const hasEnded = (until: string | null | undefined, now: Date): boolean =>
  until != null && new Date(until) <= now;

/** Until when access lasts, or since when it has ended; nothing if it does not end. */
export function AccessEnd({ until }: { until: string | null | undefined }) {
  const { people } = useTexts();
  const now = useNow();
  return (
    until && (
      <>
        {" "}
        {hasEnded(until, now) ? people.ended : people.lasting} <Moment instant={until} />
      </>
    )
  );
}
