import { defined } from "../../../platform/defined.js";
import { ruleNode } from "../rule-node.js";
import "./rule-form.css";
import { useState } from "react";
import { useMutation } from "urql";
import { knownSeverities } from "../../../features/alert-rule/alert-kind.js";
import {
  AddRuleDocument,
  type CameraRuleFragment,
  ChangeRuleDocument,
  type RulesCameraFragment,
} from "../../../generated/console.js";
import { isolated } from "../../../platform/text/text-direction.js";
import { serverTime } from "../../data/server-time.js";
import { EditForm, isBeingWritten } from "../../form/edit-form.js";
import { Checkbox, FieldProblem, SelectField, TextField, type Texts, useForm } from "../../form/field.js";
import type { FieldRules } from "../../form/field-problems.js";
import { useLanguage } from "../../language/language.js";
import type { RuleTexts } from "../english.js";
import type { RuleNode } from "../rule-node.js";
import { useRuleTitle } from "../rule-title.js";
import { scheduleInWords, weekdays } from "../schedule.js";
import { useRuleSentence } from "../sentence/use-rule-sentence.js";
import { useTexts } from "../texts.js";
import { RuleTrial, type TriedRule } from "../trial/rule-trial.js";
import { newSecret } from "../webhook/new-secret.js";
import {
  changeableDetection,
  dayField,
  daysOf,
  hasOwnAlertName,
  knownObjects,
  knownTypes,
  newTree,
  objectField,
  ruleInput,
  startTexts,
  treeOf,
} from "./rule-input.js";

const severities = [...knownSeverities].reverse();

/** A rule that was saved, with the secret of its webhook if that is new. */
export interface SavedRule {
  id: string;
  secret?: string;
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
  const [tree] = useState(() => (rule ? ruleNode(rule.group) : newTree()));
  const [, change] = useMutation(ChangeRuleDocument);
  const [, add] = useMutation(AddRuleDocument);
  const [sent, setSent] = useState<RuleTargets>();
  const submit = async (texts: Texts, expected: object) => {
    const secret = texts.webhook && "newSecret" in texts ? newSecret() : undefined;
    const input = ruleInput(texts, { rule, tree, timeZone, now: new Date(serverTime()), secret });
    setSent(input);
    const saved = rule
      ? await change({ id: rule.id, input: { ...input, ...expected } })
      : await add({ camera: camera.id, input: { ...input, group: input.group ?? tree } });
    const { error, data } = saved;
    if (error || !data) return saved;
    const { id } = "createAlertRule" in data ? data.createAlertRule : data.updateAlertRule;
    onSaved({ id, outcome: rule ? rules.saved : rules.added, ...(secret !== undefined && { secret }) });
    return saved;
  };
  const triedRule = (texts: Texts): TriedRule => {
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
      title={rule ? messages.forms.editTitle(titleOf(rule)) : rules.add}
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

function ScheduleFields({ timeZone }: { timeZone: string }) {
  const { formats } = useLanguage();
  const rules = useTexts();
  const { schedule } = rules;
  const { start } = useForm();
  const [texts, setTexts] = useState(start);
  const days = daysOf(texts);
  const hours = texts.from && texts.to ? { from: texts.from, to: texts.to } : undefined;
  return (
    <fieldset className="rule-fields" onInput={({ currentTarget }) => setTexts(textsIn(currentTarget))}>
      <legend>{schedule.title}</legend>
      <fieldset className="weekdays">
        <legend className="visually-hidden">{schedule.days}</legend>
        {weekdays.map((day) => (
          <label key={day}>
            <input
              type="checkbox"
              name={dayField(day)}
              aria-label={formats.dayOfWeek(day, "long")}
              defaultChecked={dayField(day) in start}
            />
            <span aria-hidden="true">{formats.dayOfWeek(day, "short")}</span>
          </label>
        ))}
      </fieldset>
      <div className="field-row">
        <TextField name="from" label={schedule.from} type="time" required={Boolean(texts.to)} />
        <TextField name="to" label={schedule.to} type="time" required={Boolean(texts.from)} />
      </div>
      <p className="hint">{schedule.clock(timeZone)}</p>
      <p className="rule-sentence" role="status">
        {scheduleInWords(days, hours, { formats, rules })}
      </p>
    </fieldset>
  );
}

interface TargetFieldsProps {
  rule: CameraRuleFragment | undefined;
  cameraAddresses: readonly string[];
}

function TargetFields({ rule, cameraAddresses }: TargetFieldsProps) {
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

interface RuleTargets {
  emails: readonly string[];
  phoneNumbers: readonly string[];
  apiNotification: { url: string } | null;
}

const mostTargets = 50;

/** What the gateway accepts of a rule, with the targets that it refused. */
function targetRules(sent: RuleTargets | undefined, problems: RuleTexts["problems"]): FieldRules {
  const entryRule = (field: "emails" | "phoneNumbers") => (index: number | undefined) => {
    const entry = index === undefined ? undefined : sent?.[field][index];
    return entry === undefined ? problems.tooMany(mostTargets) : problems[field](entry);
  };
  return {
    group: problems.group,
    evaluated: problems.evaluated,
    emails: entryRule("emails"),
    phoneNumbers: entryRule("phoneNumbers"),
    apiNotification: () => webhookProblem(sent?.apiNotification?.url ?? "", problems),
  };
}

function webhookProblem(url: string, problems: RuleTexts["problems"]) {
  const { username, password } = URL.canParse(url) ? new URL(url) : { username: "", password: "" };
  return username || password ? problems.webhookCredentials : problems.webhook(url);
}

interface ConditionFieldsProps {
  rule: CameraRuleFragment | undefined;
  tree: RuleNode;
}

function ConditionFields({ rule, tree }: ConditionFieldsProps) {
  const { messages, words } = useLanguage();
  const rules = useTexts();
  const sentenceOf = useRuleSentence();
  const [texts, setTexts] = useState(useForm().start);
  const detection = changeableDetection(tree);
  return (
    <fieldset className="rule-fields" onInput={({ currentTarget }) => setTexts(textsIn(currentTarget))}>
      <legend>{rules.conditions}</legend>
      <TextField name="title" label={messages.forms.name} hint={rules.titleHint} maxLength={200} />
      {detection && (
        <>
          <SelectField
            name="type"
            label={rules.type}
            options={[...new Set([...knownTypes, detection.type])].map((type) => [
              type,
              words.alertType(type),
            ])}
          />
          <fieldset className="choices rule-objects">
            <legend>{rules.object}</legend>
            {knownObjects.map((label) => (
              <Checkbox key={label} name={objectField(label)}>
                {rules.objects[label]}
              </Checkbox>
            ))}
          </fieldset>
          <TextField name="otherObjects" label={rules.otherObjects} hint={rules.otherObjectsHint} />
          <ParameterFields type={texts.type ?? detection.type} />
        </>
      )}
      {hasOwnAlertName(rule, tree) && (
        <TextField
          name="alertName"
          label={rules.alertName}
          hint={rules.alertNameHint}
          problemOf="name"
          required
          maxLength={100}
        />
      )}
      <p className="rule-sentence" role="status">
        {sentenceOf(treeOf(texts, tree))}
      </p>
      {!detection && <p className="hint">{rules.unchangeable}</p>}
    </fieldset>
  );
}

function textsIn(element: HTMLElement): Texts {
  const form = defined(element.closest("form"));
  return Object.fromEntries(Array.from(new FormData(form), ([name, text]) => [name, String(text)]));
}

/** How many objects, for how long, how sure and of what kind. The chosen type decides what the numbers mean. */
function ParameterFields({ type }: { type: string }) {
  const { parameters } = useTexts();
  const { start, problems } = useForm();
  const isShortage = type.startsWith("MIN_");
  const isExcess = type.startsWith("MAX_");
  const isGiven = ["minCount", "maxCount", "minSeconds", "confidence", "attributes", "cooldown"].some(
    (field) => Boolean(start[field]),
  );
  const limits = { type: "number", min: 0, step: "any" };
  return (
    <>
      <div>
        <Checkbox name="evaluated">{parameters.evaluated}</Checkbox>
        <p className="hint">{parameters.evaluatedHint}</p>
        <FieldProblem of="evaluated" />
      </div>
      <details open={isGiven || problems.group !== undefined}>
        <summary>{parameters.title}</summary>
        <div className="rule-fields">
          <div className="field-row">
            {!isExcess && (
              <TextField
                name="minCount"
                label={isShortage ? parameters.enough : parameters.atLeast}
                type="number"
                min={isShortage ? 2 : 1}
                max={200}
                placeholder={isShortage ? "2" : "1"}
              />
            )}
            {!isShortage && (
              <TextField
                name="maxCount"
                label={isExcess ? parameters.permitted : parameters.atMost}
                type="number"
                min={isExcess ? 0 : 1}
                max={200}
                placeholder={isExcess ? "0" : parameters.noLimit}
              />
            )}
            <TextField
              name="minSeconds"
              label={parameters.seconds}
              {...limits}
              max={86_400}
              placeholder="1"
            />
            <TextField
              name="confidence"
              label={parameters.confidence}
              {...limits}
              max={100}
              placeholder="50"
            />
            <TextField
              name="cooldown"
              label={parameters.cooldown}
              {...limits}
              max={86_400}
              placeholder="60"
            />
          </div>
          <TextField
            name="attributes"
            label={parameters.attributes}
            hint={parameters.attributesHint}
            problemOf="group"
            rows={2}
          />
        </div>
      </details>
    </>
  );
}
