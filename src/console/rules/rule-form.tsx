import { useState } from "react";
import { useMutation } from "urql";
import { knownSeverities } from "../../alert-rule/alert-kind.js";
import { AddRuleDocument, type CameraRuleFragment, ChangeRuleDocument } from "../../generated/console.js";
import { isolated } from "../../platform/text-direction.js";
import { EditForm, isBeingWritten, type Texts } from "../form/edit-form.js";
import { Field } from "../form/field.js";
import { fieldProblems } from "../form/field-problems.js";
import { linesOf } from "../form/lines.js";
import { useLanguage } from "../language/language.js";
import { type RuleTargets, targetRules } from "./target-rules.js";
import { useTexts } from "./texts.js";

const severities = [...knownSeverities].reverse();
const types = ["STATIC_DELIMITATION_AREA", "VEHICLE_IN_PEDESTRIAN_AREA", "MIN_WORKER_IN_CONFINED_SPACE"];
const objects = ["PERSON", "VEHICLE"] as const;

interface RuleFormProps {
  cameraId: string;
  /** The rule to change; absent when adding a rule. */
  rule?: CameraRuleFragment;
  onClose: () => void;
  /** Called with a message for the reader. */
  onSaved: (outcome: string) => void;
}

const draftKey = ({ cameraId, rule }: Pick<RuleFormProps, "cameraId" | "rule">) =>
  rule ? `rule ${rule.id}` : `rule of ${cameraId}`;

/** Whether the viewer was changing or adding a rule when the session ended. */
export const isRuleBeingWritten = (form: Pick<RuleFormProps, "cameraId" | "rule">): boolean =>
  isBeingWritten(draftKey(form));

/** The severity and the targets of a rule; for a new rule, also its conditions. */
export function RuleForm({ cameraId, rule, onClose, onSaved }: RuleFormProps) {
  const { messages, words } = useLanguage();
  const rules = useTexts();
  const [changed, change] = useMutation(ChangeRuleDocument);
  const [added, add] = useMutation(AddRuleDocument);
  const [sent, setSent] = useState<RuleTargets>();
  const error = changed.error ?? added.error;
  const problems = fieldProblems(error, targetRules(sent, rules.problems));
  const submit = async (texts: Record<string, string>, version: string | undefined) => {
    const url = texts.webhook ?? "";
    const targets = {
      emails: linesOf(texts.emails ?? ""),
      phoneNumbers: linesOf(texts.phoneNumbers ?? ""),
      apiNotification: url === "" ? null : { url, enabled: rule?.apiNotification?.enabled ?? true },
    };
    setSent(targets);
    const input = {
      ...targets,
      severity: texts.severity as string,
      status: statusOf("active" in texts, rule),
    };
    const name = texts.type as string;
    const group = { type: "GROUP", operator: "AND", children: [{ type: name, objects: [texts.object] }] };
    const saved = rule
      ? await change({
          id: rule.id,
          input: { ...input, ...(version !== undefined && { expectedUpdatedAt: version }) },
        })
      : await add({ camera: cameraId, input: { ...input, name, group } });
    if (!saved.error) onSaved(rule ? rules.saved : rules.added);
    return !saved.error;
  };
  return (
    <EditForm
      title={rule ? rules.changeTitle(isolated(words.alertType(rule.name))) : rules.add}
      draftKey={draftKey({ cameraId, ...(rule && { rule }) })}
      start={startOf(rule)}
      {...(rule && { version: rule.updatedAt })}
      problems={problems}
      error={error}
      isSaving={changed.fetching || added.fetching}
      submitLabel={messages.forms.save}
      onSubmit={submit}
      onClose={onClose}
    >
      {(start) => (
        <>
          {!rule && <NewRuleFields type={start.type} object={start.object} />}
          <Field label={rules.severity}>
            {(attributes) => (
              <select {...attributes} name="severity" defaultValue={start.severity}>
                {[...new Set([...severities, ...(rule ? [rule.severity] : [])])].map((severity) => (
                  <option key={severity} value={severity}>
                    {words.severity(severity)}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field label={rules.emails} hint={rules.onePerLine} problem={problems.emails}>
            {(attributes) => <textarea {...attributes} name="emails" rows={3} defaultValue={start.emails} />}
          </Field>
          <Field label={rules.phoneNumbers} hint={rules.phoneHint} problem={problems.phoneNumbers}>
            {(attributes) => (
              <textarea {...attributes} name="phoneNumbers" rows={2} defaultValue={start.phoneNumbers} />
            )}
          </Field>
          <Field label={rules.webhook} hint={rules.webhookHint} problem={problems.apiNotification}>
            {(attributes) => <input {...attributes} name="webhook" type="url" defaultValue={start.webhook} />}
          </Field>
          <label className="choice">
            <input type="checkbox" name="active" defaultChecked={start.active !== undefined} />
            {rules.active}
          </label>
        </>
      )}
    </EditForm>
  );
}

/** The texts of the fields for the current rule. */
function startOf(rule: CameraRuleFragment | undefined): Texts {
  return {
    severity: rule?.severity ?? "MEDIUM",
    emails: rule?.emails.join("\n"),
    phoneNumbers: rule?.phoneNumbers.join("\n"),
    webhook: rule?.apiNotification?.url,
    active: (rule?.status ?? "ACTIVE") === "ACTIVE" ? "on" : undefined,
  };
}

function NewRuleFields({ type, object }: { type: string | undefined; object: string | undefined }) {
  const { words } = useLanguage();
  const rules = useTexts();
  return (
    <>
      <Field label={rules.type}>
        {(attributes) => (
          <select {...attributes} name="type" defaultValue={type}>
            {types.map((each) => (
              <option key={each} value={each}>
                {words.alertType(each)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={rules.object}>
        {(attributes) => (
          <select {...attributes} name="object" defaultValue={object}>
            {objects.map((each) => (
              <option key={each} value={each}>
                {rules.objects[each]}
              </option>
            ))}
          </select>
        )}
      </Field>
    </>
  );
}

/**
 * The form only chooses whether a rule is active. Keeps any other inactive status of the
 * rule.
 */
function statusOf(isActive: boolean, rule: CameraRuleFragment | undefined): string {
  if (isActive) return "ACTIVE";
  return rule && rule.status !== "ACTIVE" ? rule.status : "INACTIVE";
}
