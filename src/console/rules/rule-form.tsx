import { type ReactNode, type SubmitEvent, useEffect, useId, useRef } from "react";
import { useMutation } from "urql";
import { AddRuleDocument, type CameraRuleFragment, ChangeRuleDocument } from "../../generated/console.js";
import { isolated } from "../../platform/text-direction.js";
import { useLanguage } from "../language/language.js";
import { keepDraft, keptDraft } from "../session/drafts.js";
import { Dialog } from "../shell/dialog.js";
import { hasTexts } from "../storage.js";
import { Problem } from "./problem.js";
import { fieldProblems, isAllIn, type RuleTargets } from "./rule-problems.js";

const severities = ["LOW", "MEDIUM", "HIGH", "CRITICAL"];
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
  keptDraft(draftKey(form)) !== undefined;

/** The severity and the targets of a rule; for a new rule, also its conditions. */
export function RuleForm({ cameraId, rule, onClose, onSaved }: RuleFormProps) {
  const { messages, words } = useLanguage();
  const { rules } = messages;
  const [changed, change] = useMutation(ChangeRuleDocument);
  const [added, add] = useMutation(AddRuleDocument);
  const isSaving = changed.fetching || added.fetching;
  const key = draftKey({ cameraId, ...(rule && { rule }) });
  const start = initialTexts(rule, key);
  const sent = useRef<RuleTargets>(undefined);
  const error = changed.error ?? added.error;
  const close = () => {
    keepDraft(key, undefined);
    onClose();
  };
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isSaving) return;
    const given = new FormData(event.currentTarget);
    const text = (name: string) => String(given.get(name) ?? "").trim();
    const url = text("webhook");
    const targets = {
      emails: linesOf(text("emails")),
      phoneNumbers: linesOf(text("phoneNumbers")),
      apiNotification: url === "" ? null : { url, enabled: rule?.apiNotification?.enabled ?? true },
    };
    sent.current = targets;
    const input = { ...targets, severity: text("severity"), status: statusOf(given.has("active"), rule) };
    const name = text("type");
    const group = { type: "GROUP", operator: "AND", children: [{ type: name, objects: [text("object")] }] };
    const saved = rule
      ? await change({ id: rule.id, input })
      : await add({ camera: cameraId, input: { ...input, name, group } });
    if (saved.error) return;
    close();
    onSaved(rule ? rules.saved : rules.added);
  };
  const problems = fieldProblems(error, sent.current, messages);
  const isExplained = error !== undefined && isAllIn(problems, error);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [error]);
  return (
    <Dialog
      title={rule ? rules.changeTitle(isolated(words.alertType(rule.name))) : rules.add}
      onClose={close}
    >
      <form
        ref={form}
        className="rule-form"
        onSubmit={(event) => void submit(event)}
        onInput={({ currentTarget }) => keepDraft(key, Object.fromEntries(new FormData(currentTarget)))}
      >
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
        {isExplained && (
          <p className="problem" role="alert">
            {rules.problems.look}
          </p>
        )}
        {error && !isExplained && <Problem error={error} />}
        <div className="rule-actions">
          <button type="submit" className="primary" aria-busy={isSaving}>
            {rules.save}
          </button>
          <button type="button" onClick={close}>
            {rules.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** The initial texts of the fields: a draft, or else the current rule. */
function initialTexts(rule: CameraRuleFragment | undefined, key: string): Record<string, string | undefined> {
  const draft = keptDraft(key);
  if (hasTexts(draft, ["severity", "emails", "phoneNumbers", "webhook"])) return draft;
  return {
    severity: rule?.severity ?? "MEDIUM",
    emails: rule?.emails.join("\n"),
    phoneNumbers: rule?.phoneNumbers.join("\n"),
    webhook: rule?.apiNotification?.url,
    active: (rule?.status ?? "ACTIVE") === "ACTIVE" ? "on" : undefined,
  };
}

function NewRuleFields({ type, object }: { type: string | undefined; object: string | undefined }) {
  const { messages, words } = useLanguage();
  const { rules } = messages;
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

interface FieldAttributes {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": boolean | undefined;
}

interface FieldProps {
  label: string;
  hint?: string;
  /** The problem with the entered text. */
  problem?: string | undefined;
  children: (attributes: FieldAttributes) => ReactNode;
}

function Field({ label, hint, problem, children }: FieldProps) {
  const id = useId();
  const isInvalid = problem !== undefined;
  const problemId = `${id}-problem`;
  return (
    <div className="field">
      <label htmlFor={id}>
        {label} {hint && <span className="hint">{hint}</span>}
      </label>
      {children({
        id,
        "aria-describedby": isInvalid ? problemId : undefined,
        "aria-invalid": isInvalid || undefined,
      })}
      {isInvalid && (
        <p id={problemId} className="problem">
          {problem}
        </p>
      )}
    </div>
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

const linesOf = (text: string) => [
  ...new Set(
    text
      .split(/[\n,;]/)
      .map((line) => line.trim())
      .filter((line) => line !== ""),
  ),
];
