import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { useState } from "react";
import { useMutation } from "urql";
import type { SnoozeCameraMutationVariables } from "../../generated/console.js";
import { serverTime } from "../data/server-time.js";
import { EditForm } from "../form/edit-form.js";
import { TextField, useForm } from "../form/field.js";
import { SingleChoice } from "../form/single-choice.js";
import { useLanguage } from "../language/language.js";
import { endOf, endTomorrow, localTimeOf, type SnoozeChoice, snoozeChoices } from "./snooze-times.js";
import { useTexts } from "./texts.js";

/** What can be snoozed. */
export type SnoozedKind = "camera" | "rule";

/** A mutation that snoozes something. */
export type SnoozeDocument = TypedDocumentNode<unknown, SnoozeCameraMutationVariables>;

/** The purpose of the form, under which what is entered is kept. */
export const snoozeDraft = (id: string): string => `snooze ${id}`;

interface SnoozeFormProps {
  kind: SnoozedKind;
  document: SnoozeDocument;
  id: string;
  /** Its name for people, isolated from the text around it. */
  name: string;
  timeZone: string;
  onClose: () => void;
}

/** Asks until when a camera or a rule is to be quiet. */
export function SnoozeForm({ kind, document, id, name, timeZone, onClose }: SnoozeFormProps) {
  const texts = useTexts();
  const [, snooze] = useMutation(document);
  const submit = async ({ choice, time = "" }: Record<string, string>) => {
    const until = endOf(choice as SnoozeChoice, { time, now: serverTime(), timeZone });
    return until && snooze({ id, until: until.toISOString() });
  };
  return (
    <EditForm
      title={texts.title(name)}
      draftKey={snoozeDraft(id)}
      start={{ choice: "hour", time: localTimeOf(serverTime() + 7_200_000, timeZone) }}
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

function EndChoice({ timeZone }: { timeZone: string }) {
  const { formats } = useLanguage();
  const texts = useTexts();
  const [chosen, choose] = useState(useForm().start.choice as SnoozeChoice);
  const nameOf = (choice: SnoozeChoice): string =>
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
