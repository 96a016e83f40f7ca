import { useState } from "react";
import type { CameraRuleFragment } from "../../../generated/console.js";
import { isolated } from "../../../platform/text-direction.js";
import type { Texts } from "../../form/edit-form.js";
import { Field } from "../../form/field.js";
import type { FieldProblems } from "../../form/field-problems.js";
import { useTexts } from "../texts.js";

interface TargetFieldsProps {
  start: Texts;
  rule: CameraRuleFragment | undefined;
  /** The addresses that the camera itself names. */
  cameraAddresses: readonly string[];
  problems: FieldProblems;
}

/** Who is told of a rule's alerts. */
export function TargetFields({ start, rule, cameraAddresses, problems }: TargetFieldsProps) {
  const rules = useTexts();
  const [hasWebhook, setHasWebhook] = useState(Boolean(start.webhook));
  const { webhookTexts } = rules;
  return (
    <fieldset className="rule-fields">
      <legend>{rules.targets}</legend>
      <Field label={rules.emails} hint={rules.onePerLine} problem={problems.emails}>
        {(attributes) => <textarea {...attributes} name="emails" rows={3} defaultValue={start.emails} />}
      </Field>
      {cameraAddresses.length > 0 && (
        <p className="hint">{rules.ofCamera(cameraAddresses.map(isolated).join(", "))}</p>
      )}
      <Field label={rules.phoneNumbers} hint={rules.phoneHint} problem={problems.phoneNumbers}>
        {(attributes) => (
          <textarea {...attributes} name="phoneNumbers" rows={2} defaultValue={start.phoneNumbers} />
        )}
      </Field>
      <Field label={rules.webhook} hint={rules.webhookHint} problem={problems.apiNotification}>
        {(attributes) => (
          <input
            {...attributes}
            name="webhook"
            type="url"
            defaultValue={start.webhook}
            onInput={({ currentTarget }) => setHasWebhook(currentTarget.value.trim() !== "")}
          />
        )}
      </Field>
      {/* Hidden ones are sent, too, so that a draft keeps them. */}
      <div className="choices" hidden={!hasWebhook}>
        <label className="choice">
          <input type="checkbox" name="webhookEnabled" defaultChecked={"webhookEnabled" in start} />
          {webhookTexts.enabled}
        </label>
        <label className="choice">
          <input type="checkbox" name="newSecret" defaultChecked={"newSecret" in start} />
          {rule?.apiNotification?.hasSecret ? webhookTexts.replaceSecret : webhookTexts.makeSecret}
        </label>
        <p className="hint">{webhookTexts.secretHint}</p>
      </div>
    </fieldset>
  );
}
