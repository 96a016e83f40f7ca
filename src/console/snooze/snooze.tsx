import "./snooze.css";
import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { type ReactNode, useRef, useState } from "react";
import { useMutation } from "urql";
import type {
  AlertRuleSnoozeFragment,
  CameraSnoozeFragment,
  FacilitySnoozeFragment,
  SnoozeCameraMutationVariables,
} from "../../generated/console.js";
import { defined } from "../../platform/defined.js";
import { isolated } from "../../platform/text/text-direction.js";
import { serverTime } from "../data/server-time.js";
import { ActionButton, EditForm, isBeingWritten, type Outcome } from "../form/edit-form.js";
import { SingleChoice, TextField, useForm } from "../form/field.js";
import { Moment, StoredText, translated, useLanguage, useNow } from "../language/language.js";
import { localInputValue, readersTimeZone } from "../language/time-zones.js";
import { english } from "./english.js";
import { german } from "./german.js";
import { endOf, endTomorrow, instantAt, type SnoozeChoice, snoozeChoices } from "./snooze-times.js";

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
  const isSet = isSnoozed(of, now);
  const end = async () => {
    const outcome = await snooze({ id, until: null });
    // The button that ended the snooze is gone, and would take the focus with it.
    chooser.current?.focus();
    return outcome;
  };
  if (!isSet && !mayChange) return null;
  return (
    <div className="snooze">
      <SnoozedUntil of={of} timeZone={timeZone} />
      {mayChange && (
        <button ref={chooser} type="button" onClick={() => setChoosing(true)}>
          {isSet ? texts.change : texts.snooze[kind]}
        </button>
      )}
      {mayChange && isSet && <ActionButton run={end}>{texts.end}</ActionButton>}
      {isChoosing && (
        <SnoozeForm
          title={texts.title(isolated(name))}
          effect={texts.effects[kind]}
          draftKey={snoozeDraft(id)}
          reason={isSet ? of.snoozeReason : null}
          timeZone={timeZone}
          onSnooze={(chosen) => snooze({ id, ...chosen })}
          onClose={() => setChoosing(false)}
        />
      )}
    </div>
  );
}

type SnoozedKind = "camera" | "rule" | "facility";

type SnoozeDocument = TypedDocumentNode<unknown, SnoozeCameraMutationVariables>;

const snoozeDraft = (id: string) => `snooze ${id}`;

/** From when until when, and why. */
export type SnoozeChosen = Omit<SnoozeCameraMutationVariables, "id">;

interface SnoozeFormProps {
  title: string;
  effect: string;
  draftKey: string;
  reason?: string | null | undefined;
  /** The zone of the facility; the reader's, unless there is just one. */
  timeZone: string | undefined;
  /** Snoozes what is chosen; undefined if that is nothing. */
  onSnooze: (chosen: SnoozeChosen, texts: Record<string, string>) => Promise<Outcome> | undefined;
  onClose: () => void;
  children?: ReactNode;
}

export function SnoozeForm({
  title,
  effect,
  draftKey,
  reason,
  timeZone: facilityZone,
  onSnooze,
  onClose,
  children,
}: SnoozeFormProps) {
  const { formats } = useLanguage();
  const texts = useTexts();
  const timeZone = facilityZone ?? readersTimeZone;
  const zone = formats.zone(serverTime(), timeZone);
  const submit = async (given: Record<string, string>) => {
    const { choice, time = "", from: start = "", reason = "" } = given;
    const from = instantAt(start, timeZone);
    const until = endOf(choiceNamed(choice), { time, now: from?.getTime() ?? serverTime(), timeZone });
    const chosen = { from: from?.toISOString() ?? null, reason: reason || null };
    return until && onSnooze({ ...chosen, until: until.toISOString() }, given);
  };
  return (
    <EditForm
      title={title}
      draftKey={draftKey}
      start={{
        choice: "hour",
        time: localInputValue(serverTime() + 7_200_000, timeZone),
        reason: reason ?? undefined,
      }}
      rules={texts.problems}
      submitLabel={texts.submit}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{effect}</p>
      {children}
      <EndChoice hint={facilityZone === undefined ? texts.ownTime(zone) : texts.facilityTime(zone)} />
      <TextField name="from" label={texts.from} hint={texts.fromHint(zone)} type="datetime-local" />
      <TextField name="reason" label={texts.reason} maxLength={200} />
    </EditForm>
  );
}

const choiceNamed = (name: unknown) => defined(snoozeChoices.find((choice) => choice === name));

function EndChoice({ hint }: { hint: string }) {
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
        options={snoozeChoices.map((value) => [value, nameOf(value)] as const)}
        chosen={chosen}
        onChange={choose}
      />
      {chosen === "time" && (
        <TextField
          name="time"
          label={texts.time}
          hint={hint}
          problemOf="until"
          type="datetime-local"
          required
        />
      )}
    </>
  );
}

type Snoozed = CameraSnoozeFragment | AlertRuleSnoozeFragment | FacilitySnoozeFragment;

/** Whether something is snoozed, or will be: a snooze ends by itself. */
export const isSnoozed = ({ snoozedUntil }: Pick<Snoozed, "snoozedUntil">, now: Date): boolean =>
  snoozedUntil !== null && Date.parse(snoozedUntil) > now.getTime();

const isToCome = ({ snoozedFrom }: Pick<Snoozed, "snoozedFrom">, now: Date) =>
  snoozedFrom !== null && Date.parse(snoozedFrom) > now.getTime();

/** Whether a snooze lasts at present. */
export const isQuiet = (of: Pick<Snoozed, "snoozedFrom" | "snoozedUntil">, now: Date): boolean =>
  isSnoozed(of, now) && !isToCome(of, now);

interface SnoozedUntilProps {
  of: Snoozed;
  /** What is snoozed, where that is not what the reader looks at. */
  whose?: "camera" | "facility";
  timeZone: string;
}

/** From when until when a camera, a rule or a facility is snoozed, by whom and why; nothing if it is not. */
export function SnoozedUntil({ of, whose, timeZone }: SnoozedUntilProps) {
  const texts = useTexts();
  const now = useNow();
  if (!isSnoozed(of, now)) return null;
  const { snoozedFrom, snoozedUntil, snoozedBy, snoozeReason } = of;
  const person = snoozedBy?.fullName ?? snoozedBy?.email;
  const [from, until] = texts.fromUntil;
  return (
    <p className="snoozed-until">
      {whose && texts.whose[whose]}{" "}
      {snoozedFrom !== null && isToCome(of, now) ? (
        <>
          {from} <Moment instant={snoozedFrom} timeZone={timeZone} /> {until}
        </>
      ) : (
        texts.until
      )}{" "}
      <Moment instant={defined(snoozedUntil)} timeZone={timeZone} />
      {person && ` ${texts.by(isolated(person))}`}
      {snoozeReason !== null && (
        <>
          : <StoredText>{snoozeReason}</StoredText>
        </>
      )}
    </p>
  );
}

export const useTexts = translated(english, german);
