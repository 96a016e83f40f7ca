import { type FormEvent, useId } from "react";
import { useMutation } from "urql";
import { AddRuleDocument, type CameraRuleFragment, ChangeRuleDocument } from "../../generated/console.js";
import { isolated } from "../../platform/text-direction.js";
import { useLanguage } from "../language/language.js";
import { Dialog } from "../shell/dialog.js";
import { Problem } from "./problem.js";

const severities = ["LOW", "MEDIUM", "HIGH", "CRITICAL"];
const types = ["STATIC_DELIMITATION_AREA", "VEHICLE_IN_PEDESTRIAN_AREA", "MIN_WORKER_IN_CONFINED_SPACE"];
const objects = ["PERSON", "VEHICLE"] as const;

interface RuleFormProps {
  cameraId: string;
  /** The rule to change; none to add one. */
  rule?: CameraRuleFragment;
  onClose: () => void;
}

/** How severe what a rule finds is, and whom it tells; of a new rule also what it looks for. */
export function RuleForm({ cameraId, rule, onClose }: RuleFormProps) {
  const { messages, words } = useLanguage();
  const { rules } = messages;
  const [changed, change] = useMutation(ChangeRuleDocument);
  const [added, add] = useMutation(AddRuleDocument);
  const error = changed.error ?? added.error;
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const text = (name: string) => String(given.get(name) ?? "").trim();
    const url = text("webhook");
    const input = {
      severity: text("severity"),
      status: statusOf(given.has("active"), rule),
      emails: linesOf(text("emails")),
      phoneNumbers: linesOf(text("phoneNumbers")),
      apiNotification: url === "" ? null : { url, enabled: rule?.apiNotification?.enabled ?? true },
    };
    const name = text("type");
    const group = { type: "GROUP", operator: "AND", children: [{ type: name, objects: [text("object")] }] };
    const saved = rule ? await change({ id: rule.id, input }) : await add({ camera: cameraId, input: { ...input, name, group } });
    if (!saved.error) onClose();
  };
  return (
    <Dialog title={rule ? rules.changeTitle(isolated(words.alertType(rule.name))) : rules.add} onClose={onClose}>
      <form className="rule-form" onSubmit={(event) => void submit(event)}>
        {!rule && <NewRuleFields />}
        <Field label={rules.severity}>
          {(id) => (
            <select id={id} name="severity" defaultValue={rule?.severity ?? "MEDIUM"}>
              {[...new Set([...severities, ...(rule ? [rule.severity] : [])])].map((severity) => (
                <option key={severity} value={severity}>
                  {words.severity(severity)}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label={rules.emails} hint={rules.onePerLine}>
          {(id) => <textarea id={id} name="emails" rows={3} defaultValue={rule?.emails.join("\n")} />}
        </Field>
        <Field label={rules.phoneNumbers} hint={rules.phoneHint}>
          {(id) => <textarea id={id} name="phoneNumbers" rows={2} defaultValue={rule?.phoneNumbers.join("\n")} />}
        </Field>
        <Field label={rules.webhook} hint={rules.webhookHint}>
          {(id) => <input id={id} name="webhook" type="url" defaultValue={rule?.apiNotification?.url ?? ""} />}
        </Field>
        <label className="choice">
          <input type="checkbox" name="active" defaultChecked={(rule?.status ?? "ACTIVE") === "ACTIVE"} />
          {rules.active}
        </label>
        {error && <Problem error={error} />}
        <div className="rule-actions">
          <button type="submit" className="primary" aria-busy={changed.fetching || added.fetching}>
            {rules.save}
          </button>
          <button type="button" onClick={onClose}>
            {rules.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function NewRuleFields() {
  const { messages, words } = useLanguage();
  const { rules } = messages;
  return (
    <>
      <Field label={rules.type}>
        {(id) => (
          <select id={id} name="type">
            {types.map((type) => (
              <option key={type} value={type}>
                {words.alertType(type)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={rules.object}>
        {(id) => (
          <select id={id} name="object">
            {objects.map((object) => (
              <option key={object} value={object}>
                {rules.objects[object]}
              </option>
            ))}
          </select>
        )}
      </Field>
    </>
  );
}

function Field({ label, hint, children }: { label: string; hint?: string; children: (id: string) => React.ReactNode }) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>
        {label} {hint && <span className="hint">{hint}</span>}
      </label>
      {children(id)}
    </div>
  );
}

/** Only whether a rule is active can be chosen: another status that it has stays. */
function statusOf(isActive: boolean, rule: CameraRuleFragment | undefined): string {
  if (isActive) return "ACTIVE";
  return rule && rule.status !== "ACTIVE" ? rule.status : "INACTIVE";
}

const linesOf = (text: string) => [
  ...new Set(
    text
      .split(/[\n,;]/)
      .map((line) => line.trim())
      .filter((line) => line !== ""),
  ),
];
