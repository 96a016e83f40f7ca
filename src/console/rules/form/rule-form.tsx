import "./rule-form.css";
import { useState } from "react";
import { useMutation } from "urql";
import { knownSeverities } from "../../../alert-rule/alert-kind.js";
import {
  AddRuleDocument,
  type CameraRuleFragment,
  ChangeRuleDocument,
  type RulesCameraFragment,
} from "../../../generated/console.js";
import { serverTime } from "../../data/server-time.js";
import { EditForm, isBeingWritten } from "../../form/edit-form.js";
import { Field } from "../../form/field.js";
import { fieldProblems } from "../../form/field-problems.js";
import { useLanguage } from "../../language/language.js";
import type { RuleNode } from "../rule-node.js";
import { useRuleTitle } from "../rule-title.js";
import { useTexts } from "../texts.js";
import { RuleTrial, type TriedRule } from "../trial/rule-trial.js";
import { newSecret } from "../webhook/new-secret.js";
import { ConditionFields } from "./condition-fields.js";
import { newTree } from "./conditions.js";
import { ruleInput, startTexts } from "./rule-input.js";
import { ScheduleFields } from "./schedule-fields.js";
import { TargetFields } from "./target-fields.js";
import { type RuleTargets, targetRules } from "./target-rules.js";

const severities = [...knownSeverities].reverse();

/** A rule that was saved, with the secret of its webhook if that is new. */
export interface SavedRule {
  id: string;
  secret?: string;
  /** What was done, for the reader. */
  outcome: string;
}

interface RuleFormProps {
  camera: RulesCameraFragment;
  /** The rule to change; absent when adding a rule. */
  rule?: CameraRuleFragment;
  onClose: () => void;
  onSaved: (saved: SavedRule) => void;
}

interface FormPurpose {
  cameraId: string;
  rule?: CameraRuleFragment;
}

const draftKey = ({ cameraId, rule }: FormPurpose) => (rule ? `rule ${rule.id}` : `rule of ${cameraId}`);

/** Whether the viewer was changing or adding a rule when the session ended. */
export const isRuleBeingWritten = (form: FormPurpose): boolean => isBeingWritten(draftKey(form));

/** All that can be set of a rule but its areas, which are drawn. */
export function RuleForm({ camera, rule, onClose, onSaved }: RuleFormProps) {
  const { messages, words } = useLanguage();
  const rules = useTexts();
  const titleOf = useRuleTitle();
  const timeZone = camera.facility.timeZoneId;
  const [tree] = useState(() => (rule?.group as RuleNode | undefined) ?? newTree());
  const [changed, change] = useMutation(ChangeRuleDocument);
  const [added, add] = useMutation(AddRuleDocument);
  const [sent, setSent] = useState<RuleTargets>();
  const error = changed.error ?? added.error;
  const problems = fieldProblems(error, targetRules(sent, rules.problems));
  const submit = async (texts: Record<string, string>, version: string | undefined) => {
    const secret = texts.webhook && "newSecret" in texts ? newSecret() : undefined;
    const input = ruleInput(texts, { rule, tree, timeZone, now: new Date(serverTime()), secret });
    setSent(input);
    const expected = version === undefined ? {} : { expectedUpdatedAt: version };
    const saved = rule
      ? await change({ id: rule.id, input: { ...input, ...expected } })
      : await add({ camera: camera.id, input: { ...input, group: input.group ?? tree } });
    if (saved.error) return false;
    const id = rule?.id ?? (saved.data as { createAlertRule: { id: string } }).createAlertRule.id;
    onSaved({ id, outcome: rule ? rules.saved : rules.added, ...(secret !== undefined && { secret }) });
    return true;
  };
  const triedRule = (texts: Record<string, string>): TriedRule => {
    const context = { rule, tree, timeZone, now: new Date(serverTime()), secret: undefined };
    const {
      group = tree,
      dayRange = rule?.dayRange,
      timeRange = rule?.timeRange,
    } = ruleInput(texts, context);
    return { group, dayRange, timeRange };
  };
  return (
    <EditForm
      title={rule ? rules.changeTitle(titleOf(rule)) : rules.add}
      draftKey={draftKey({ cameraId: camera.id, ...(rule && { rule }) })}
      start={startTexts(rule, tree, timeZone)}
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
          <ConditionFields start={start} rule={rule} tree={tree} problems={problems} />
          <fieldset className="rule-fields">
            <legend>{rules.alerts}</legend>
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
            <label className="choice">
              <input type="checkbox" name="observation" defaultChecked={"observation" in start} />
              {rules.asObservation}
            </label>
            <label className="choice">
              <input type="checkbox" name="active" defaultChecked={"active" in start} />
              {rules.active}
            </label>
          </fieldset>
          <ScheduleFields start={start} timeZone={timeZone} />
          <RuleTrial camera={camera} rule={rule} ruleOf={triedRule} />
          <TargetFields
            start={start}
            rule={rule}
            cameraAddresses={camera.emailAddresses}
            problems={problems}
          />
        </>
      )}
    </EditForm>
  );
}
