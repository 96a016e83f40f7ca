import "./rule-page.css";
import { useEffect, useRef, useState } from "react";
import { useMutation } from "urql";
import { knownSeverities, knownTypes } from "../../../features/alert-rule/alert-kind.js";
import {
  AddRuleDocument,
  type CameraRuleFragment,
  ChangeRuleDocument,
  type CopyTargetFragment,
  type RulesCameraFragment,
} from "../../../generated/console.js";
import { entriesOf } from "../../../platform/record.js";
import { isolated } from "../../../platform/text/text-direction.js";
import { serverTime } from "../../data/server-time.js";
import { EditForm, initialTexts, isBeingWritten } from "../../form/edit-form.js";
import { Checkbox, FieldProblem, SelectField, TextField, type Texts, useForm } from "../../form/field.js";
import type { FieldRules } from "../../form/field-problems.js";
import { StoredText, useLanguage } from "../../language/language.js";
import { changeQuery, Link, replaceQuery, useAddress } from "../../navigation/location.js";
import { keepDraft } from "../../session/drafts.js";
import { useUser } from "../../viewer/user.js";
import { CopyTargets } from "../copy/rule-copy.js";
import { RuleAreas } from "../drawing/rule-areas.js";
import type { RuleTexts } from "../english.js";
import { type RuleNode, ruleNode } from "../rule-node.js";
import { useRuleTitle } from "../rule-title.js";
import { scheduleInWords, weekdays } from "../schedule.js";
import { useTexts } from "../texts.js";
import { RuleTrial, type TriedRule } from "../trial/rule-trial.js";
import { useRuleSentence } from "../use-rule-sentence.js";
import { newSecret } from "../webhook/new-secret.js";
import type { Preset } from "./presets.js";
import {
  changeableDetection,
  dayField,
  daysOf,
  hasOwnAlertName,
  isAreaUnfinished,
  knownObjects,
  newTree,
  objectField,
  presetTexts,
  ruleInput,
  startTexts,
  treeOf,
} from "./rule-input.js";

const severities = [...knownSeverities].reverse();

/** A rule that was saved, with the secret of its webhook if that is new, and the other cameras that get it, too. */
export interface SavedRule {
  id: string;
  secret?: string | undefined;
  targets: readonly CopyTargetFragment[];
  outcome: string;
}

interface RulePageProps {
  camera: RulesCameraFragment;
  /** The rule to change; absent when adding a rule. */
  rule: CameraRuleFragment | undefined;
  /** Whether it is one of the first steps, which go on once it is saved, and tells the reader. */
  isFirst: boolean;
  channels: readonly string[];
  onSaved: (saved: SavedRule) => void;
}

/** A rule: its areas on the picture of the camera, and beside it all else that it has. */
export function RulePage({ camera, rule, isFirst, channels, onSaved }: RulePageProps) {
  const { messages, words } = useLanguage();
  const rules = useTexts();
  const titleOf = useRuleTitle();
  const timeZone = camera.facility.timeZoneId;
  const draftKey = rule ? `rule ${rule.id}` : `rule of ${camera.id}`;
  const [tree] = useState(() => (rule ? ruleNode(rule.group) : newTree()));
  const [preset, setPreset] = useState<Preset | undefined>(
    rule || isBeingWritten(draftKey) ? undefined : "forbiddenArea",
  );
  /** The number of presets that were chosen, each of which fills the form anew. */
  const [choices, setChoices] = useState(0);
  const { user } = useUser();
  const canTell = channels.includes("EMAIL");
  const start = {
    ...startTexts(rule, tree, timeZone),
    ...(isFirst && canTell && { emails: user?.email ?? "" }),
  };
  const goesOn = useRef(isFirst);
  const choose = (chosen: Preset) => {
    keepDraft(draftKey, presetTexts(chosen, initialTexts(draftKey, start), rules.presets));
    setPreset(chosen);
    setChoices(choices + 1);
  };
  const [targets, setTargets] = useState<readonly CopyTargetFragment[]>([]);
  const [, change] = useMutation(ChangeRuleDocument);
  const [, add] = useMutation(AddRuleDocument);
  const [sent, setSent] = useState<RuleTargets>();
  const inputOf = (texts: Texts, secret?: string) =>
    ruleInput(texts, { rule, tree, timeZone, now: new Date(serverTime()), secret });
  const submit = async (texts: Texts, expected: object) => {
    const secret = texts.webhook && "newSecret" in texts ? newSecret() : undefined;
    const input = inputOf(texts, secret);
    setSent(input);
    const saved = rule
      ? await change({ id: rule.id, input: { ...input, ...expected } })
      : await add({ camera: camera.id, input: { ...input, group: input.group ?? tree } });
    const { error, data } = saved;
    if (error || !data) return saved;
    const { id } = "createAlertRule" in data ? data.createAlertRule : data.updateAlertRule;
    const outcome = rule ? rules.saved : rules.added;
    goesOn.current &&= secret === undefined && targets.length === 0;
    onSaved({ id, targets, outcome, secret });
    return saved;
  };
  const triedRule = (texts: Texts): TriedRule => {
    const { group = tree, dayRange = rule?.dayRange, timeRange = rule?.timeRange } = inputOf(texts);
    return { group, dayRange, timeRange };
  };
  const page = useRef<HTMLElement>(null);
  const isForArea = useAddress().has("area");
  useEffect(() => {
    const first = isForArea ? ".pen, .corner" : ".presets [aria-pressed=true], [name=title]";
    // A card further down has led here.
    window.scrollTo(0, 0);
    page.current?.querySelector<HTMLElement>(first)?.focus({ preventScroll: !isForArea });
  }, [isForArea]);
  const title = rule ? messages.forms.editTitle(titleOf(rule)) : rules.add;
  return (
    <section ref={page} className="rule-page" aria-labelledby="rule-page">
      <header>
        <h2 id="rule-page">{title}</h2>
        <Link to={{ view: "rules", camera: camera.id }}>
          ← <StoredText>{camera.name}</StoredText>
        </Link>
      </header>
      {!rule && (
        <fieldset className="presets">
          <legend>{rules.choosePreset}</legend>
          {entriesOf(rules.presets).map(([name, text]) => (
            <button key={name} type="button" aria-pressed={name === preset} onClick={() => choose(name)}>
              {text}
            </button>
          ))}
        </fieldset>
      )}
      <EditForm
        key={choices}
        isPage
        title={title}
        draftKey={draftKey}
        start={preset ? presetTexts(preset, start, rules.presets) : start}
        version={rule?.updatedAt}
        rules={targetRules(sent, rules.problems)}
        check={(texts) => (isAreaUnfinished(texts) ? { areas: rules.problems.areas } : {})}
        onSubmit={submit}
        onClose={() =>
          goesOn.current
            ? replaceQuery("")
            : changeQuery({ rule: undefined, area: undefined }, { replace: true })
        }
      >
        <div className="rule-page-columns">
          <RuleAreas camera={camera} rule={rule} tree={tree} />
          <div className="rule-page-fields">
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
            <ScheduleFields timeZone={camera.facility.timeZoneId} />
            <TargetFields rule={rule} cameraAddresses={camera.emailAddresses} canTell={canTell} />
            {!rule && (
              <details className="rule-fields">
                <summary>
                  {rules.copies.also}
                  {targets.length > 0 && ` (${targets.length})`}
                </summary>
                <p className="hint">{rules.copies.text}</p>
                <CopyTargets source={camera.id} chosen={targets} onChoose={setTargets} />
              </details>
            )}
            <RuleTrial camera={camera} rule={rule} ruleOf={triedRule} />
          </div>
        </div>
      </EditForm>
    </section>
  );
}

function ScheduleFields({ timeZone }: { timeZone: string }) {
  const { formats } = useLanguage();
  const rules = useTexts();
  const { schedule } = rules;
  const { start, texts } = useForm();
  const days = daysOf(texts);
  const hours = texts.from && texts.to ? { from: texts.from, to: texts.to } : undefined;
  return (
    <details className="rule-fields">
      <summary>
        {schedule.title}: <span role="status">{scheduleInWords(days, hours, { formats, rules })}</span>
      </summary>
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
    </details>
  );
}

interface TargetFieldsProps {
  rule: CameraRuleFragment | undefined;
  cameraAddresses: readonly string[];
  /** Whether the gateway sends emails. */
  canTell: boolean;
}

function TargetFields({ rule, cameraAddresses, canTell }: TargetFieldsProps) {
  const rules = useTexts();
  const hasWebhook = Boolean(useForm().texts.webhook);
  const { webhookTexts } = rules;
  return (
    <fieldset className="rule-fields">
      <legend>{rules.targets}</legend>
      <TextField name="emails" label={rules.emails} hint={rules.onePerLine} rows={3} />
      {!canTell && <p className="hint">{rules.notSetUp}</p>}
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
  const { texts } = useForm();
  const detection = changeableDetection(tree);
  return (
    <fieldset className="rule-fields">
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
