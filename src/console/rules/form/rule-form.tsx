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
import { Checkbox, SelectField } from "../../form/field.js";
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
  const { words } = useLanguage();
  const rules = useTexts();
  const titleOf = useRuleTitle();
  const timeZone = camera.facility.timeZoneId;
  const [tree] = useState(() => (rule?.group as RuleNode | undefined) ?? newTree());
  const [, change] = useMutation(ChangeRuleDocument);
  const [, add] = useMutation(AddRuleDocument);
  const [sent, setSent] = useState<RuleTargets>();
  const submit = async (texts: Record<string, string>, expected: object) => {
    const secret = texts.webhook && "newSecret" in texts ? newSecret() : undefined;
    const input = ruleInput(texts, { rule, tree, timeZone, now: new Date(serverTime()), secret });
    setSent(input);
    const saved = rule
      ? await change({ id: rule.id, input: { ...input, ...expected } })
      : await add({ camera: camera.id, input: { ...input, group: input.group ?? tree } });
    if (saved.error) return saved;
    const id = rule?.id ?? (saved.data as { createAlertRule: { id: string } }).createAlertRule.id;
    onSaved({ id, outcome: rule ? rules.saved : rules.added, ...(secret !== undefined && { secret }) });
    return saved;
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
      version={rule?.updatedAt}
      rules={targetRules(sent, rules.problems)}
      onSubmit={submit}
      onClose={onClose}
    >
      <ConditionFields rule={rule} tree={tree} />
      <fieldset className="rule-fields">
        <legend>{rules.alerts}</legend>
        <SelectField
          name="severity"
          label={rules.severity}
          options={[...new Set([...severities, ...(rule ? [rule.severity] : [])])].map((severity) => [
            severity,
            words.severity(severity),
          ])}
        />
        <Checkbox name="observation">{rules.asObservation}</Checkbox>
        <Checkbox name="active">{rules.active}</Checkbox>
      </fieldset>
      <ScheduleFields timeZone={timeZone} />
      <RuleTrial camera={camera} rule={rule} ruleOf={triedRule} />
      <TargetFields rule={rule} cameraAddresses={camera.emailAddresses} />
    </EditForm>
  );
}
