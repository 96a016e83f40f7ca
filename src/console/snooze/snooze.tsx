import "./snooze.css";
import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { useRef, useState } from "react";
import { useMutation } from "urql";
import type {
  AlertRuleSnoozeFragment,
  CameraSnoozeFragment,
  SnoozeCameraMutationVariables,
} from "../../generated/console.js";
import { defined } from "../../platform/defined.js";
import { isolated } from "../../platform/text/text-direction.js";
import { serverTime } from "../data/server-time.js";
import { ActionButton, EditForm, isBeingWritten } from "../form/edit-form.js";
import { SingleChoice, TextField, useForm } from "../form/field.js";
import { Moment, translated, useLanguage, useNow } from "../language/language.js";
import { localInputValue } from "../language/time-zones.js";
import { english } from "./english.js";
import { german } from "./german.js";
import { endOf, endTomorrow, type SnoozeChoice, snoozeChoices } from "./snooze-times.js";

interface SnoozeProps {
  kind: SnoozedKind;
  document: SnoozeDocument;
  of: Snoozed;
  name: string;
  timeZone: string;
  mayChange: boolean;
}

export function Snooze({ kind, document, of, name, timeZone, mayChange }: SnoozeProps) {
  const texts = useTexts();
  const now = useNow();
  const { id } = of;
  const [isChoosing, setChoosing] = useState(() => mayChange && isBeingWritten(snoozeDraft(id)));
  const [, snooze] = useMutation(document);
  const chooser = useRef<HTMLButtonElement>(null);
  const isQuiet = isSnoozed(of, now);
  const end = async () => {
    const { error } = await snooze({ id, until: null });
    // The button that ended the snooze is gone, and would take the focus with it.
    chooser.current?.focus();
    return error;
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
      {mayChange && isQuiet && <ActionButton run={end}>{texts.end}</ActionButton>}
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

type SnoozedKind = "camera" | "rule";

type SnoozeDocument = TypedDocumentNode<unknown, SnoozeCameraMutationVariables>;

const snoozeDraft = (id: string) => `snooze ${id}`;

interface SnoozeFormProps {
  kind: SnoozedKind;
  document: SnoozeDocument;
  id: string;
  name: string;
  timeZone: string;
  onClose: () => void;
}

function SnoozeForm({ kind, document, id, name, timeZone, onClose }: SnoozeFormProps) {
  const texts = useTexts();
  const [, snooze] = useMutation(document);
  const submit = async ({ choice, time = "" }: Record<string, string>) => {
    const until = endOf(choiceNamed(choice), { time, now: serverTime(), timeZone });
    return until && snooze({ id, until: until.toISOString() });
  };
  return (
    <EditForm
      title={texts.title(name)}
      draftKey={snoozeDraft(id)}
      start={{ choice: "hour", time: localInputValue(serverTime() + 7_200_000, timeZone) }}
      rules={texts.problems}
      submitLabel={texts.snooze}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{texts.effects[kind]}</p>
      <EndChoice timeZone={timeZone} />
    </EditForm>
  );
}

const choiceNamed = (name: unknown) => defined(snoozeChoices.find((choice) => choice === name));

function EndChoice({ timeZone }: { timeZone: string }) {
  const { formats } = useLanguage();
  const texts = useTexts();
  const [chosen, choose] = useState(choiceNamed(useForm().start.choice));
  const nameOf = (choice: SnoozeChoice) =>
    choice === "tomorrow" ? texts.choices.tomorrow(formats.clockTime(endTomorrow)) : texts.choices[choice];
  return (
    <>
      <SingleChoice
        name="choice"
        label={texts.howLong}
        options={snoozeChoices.map((value) => ({ value, text: nameOf(value) }))}
        chosen={chosen}
        onChange={choose}
      />
      {chosen === "time" && (
        <TextField
          name="time"
          label={texts.time}
          hint={texts.facilityTime(formats.zone(serverTime(), timeZone))}
          problemOf="until"
          type="datetime-local"
          required
        />
      )}
    </>
  );
}

type Snoozed = CameraSnoozeFragment | AlertRuleSnoozeFragment;

/** Whether something is snoozed now: a snooze ends by itself. */
const isSnoozed = ({ snoozedUntil }: Snoozed, now: Date) =>
  snoozedUntil !== null && Date.parse(snoozedUntil) > now.getTime();

/** Until when a camera or a rule is snoozed, and by whom; nothing if it is not. */
export function SnoozedUntil({ of, timeZone }: { of: Snoozed; timeZone: string }) {
  const texts = useTexts();
  const now = useNow();
  if (!isSnoozed(of, now)) return null;
  const { snoozedUntil, snoozedBy } = of;
  const person = snoozedBy?.fullName ?? snoozedBy?.email;
  return (
    <p className="snoozed-until">
      {texts.until} <Moment instant={defined(snoozedUntil)} timeZone={timeZone} />
      {person && ` ${texts.by(isolated(person))}`}
    </p>
  );
}

const useTexts = translated({ en: english, de: german });
