import { useState } from "react";
import type { CameraRuleFragment } from "../../../generated/console.js";
import { isolated } from "../../../platform/text-direction.js";
import { Checkbox, TextField, useForm } from "../../form/field.js";
import { useTexts } from "../texts.js";

interface TargetFieldsProps {
  rule: CameraRuleFragment | undefined;
  /** The addresses that the camera itself names. */
  cameraAddresses: readonly string[];
}

/** Who is told of a rule's alerts. */
export function TargetFields({ rule, cameraAddresses }: TargetFieldsProps) {
  const rules = useTexts();
  const [hasWebhook, setHasWebhook] = useState(Boolean(useForm().start.webhook));
  const { webhookTexts } = rules;
  return (
    <fieldset className="rule-fields">
      <legend>{rules.targets}</legend>
      <TextField name="emails" label={rules.emails} hint={rules.onePerLine} rows={3} />
      {cameraAddresses.length > 0 && (
        <p className="hint">{rules.ofCamera(cameraAddresses.map(isolated).join(", "))}</p>
      )}
      <TextField name="phoneNumbers" label={rules.phoneNumbers} hint={rules.phoneHint} rows={2} />
      <TextField
        name="webhook"
        label={rules.webhook}
        hint={rules.webhookHint}
        problemOf="apiNotification"
        type="url"
        onInput={({ currentTarget }) => setHasWebhook(currentTarget.value.trim() !== "")}
      />
      {/* Hidden ones are sent, too, so that a draft keeps them. */}
      <div className="choices" hidden={!hasWebhook}>
        <Checkbox name="webhookEnabled">{webhookTexts.enabled}</Checkbox>
        <Checkbox name="newSecret">
          {rule?.apiNotification?.hasSecret ? webhookTexts.replaceSecret : webhookTexts.makeSecret}
        </Checkbox>
        <p className="hint">{webhookTexts.secretHint}</p>
      </div>
    </fieldset>
  );
}
