import "./snooze.css";
import { useRef, useState } from "react";
import { useMutation } from "urql";
import { isolated } from "../../platform/text-direction.js";
import { isBeingWritten } from "../form/edit-form.js";
import { Problem } from "../form/problem.js";
import { useNow } from "../language/now.js";
import { type SnoozeDocument, type SnoozedKind, SnoozeForm, snoozeDraft } from "./snooze-form.js";
import { isSnoozed, type Snoozed, SnoozedUntil } from "./snoozed-until.js";
import { useTexts } from "./texts.js";

interface SnoozeProps {
  kind: SnoozedKind;
  document: SnoozeDocument;
  of: Snoozed;
  /** Its name for people. */
  name: string;
  timeZone: string;
  mayChange: boolean;
}

/** Until when a camera or rule is snoozed and by whom, and buttons that change this. */
export function Snooze({ kind, document, of, name, timeZone, mayChange }: SnoozeProps) {
  const texts = useTexts();
  const now = useNow();
  const { id } = of;
  const [isChoosing, setChoosing] = useState(() => mayChange && isBeingWritten(snoozeDraft(id)));
  const [{ error, fetching }, snooze] = useMutation(document);
  const chooser = useRef<HTMLButtonElement>(null);
  const isQuiet = isSnoozed(of, now);
  const end = async () => {
    await snooze({ id, until: null });
    // The button that ends it is gone.
    chooser.current?.focus();
  };
  if (!isQuiet && !mayChange) return null;
  return (
    <div className="snooze">
      <SnoozedUntil of={of} timeZone={timeZone} />
      {mayChange && (
        <button ref={chooser} type="button" onClick={() => setChoosing(true)}>
          {isQuiet ? texts.change : texts.snooze}
        </button>
      )}
      {mayChange && isQuiet && (
        <button type="button" aria-busy={fetching} onClick={() => fetching || void end()}>
          {texts.end}
        </button>
      )}
      {error && <Problem error={error} />}
      {isChoosing && (
        <SnoozeForm
          kind={kind}
          document={document}
          id={id}
          name={isolated(name)}
          timeZone={timeZone}
          onClose={() => setChoosing(false)}
        />
      )}
    </div>
  );
}
