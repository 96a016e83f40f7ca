import { useState } from "react";
import type { CameraRuleFragment } from "../../../generated/console.js";
import { Checkbox, SelectField, TextField, type Texts, useForm } from "../../form/field.js";
import { useLanguage } from "../../language/language.js";
import type { RuleNode } from "../rule-node.js";
import { useRuleSentence } from "../sentence/use-rule-sentence.js";
import { useTexts } from "../texts.js";
import { changeableDetection, knownObjects, knownTypes, objectField, treeOf } from "./conditions.js";
import { hasOwnAlertName } from "./rule-input.js";

interface ConditionFieldsProps {
  rule: CameraRuleFragment | undefined;
  tree: RuleNode;
}

/** The name of a rule, and what it looks for, with the sentence that says so. */
export function ConditionFields({ rule, tree }: ConditionFieldsProps) {
  const { words } = useLanguage();
  const rules = useTexts();
  const sentenceOf = useRuleSentence();
  const [texts, setTexts] = useState(useForm().start);
  const detection = changeableDetection(tree);
  return (
    <fieldset className="rule-fields" onInput={({ currentTarget }) => setTexts(textsIn(currentTarget))}>
      <legend>{rules.conditions}</legend>
      <TextField name="title" label={rules.title} hint={rules.titleHint} maxLength={200} />
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

/** The texts of the fields in an element. */
export function textsIn(element: HTMLElement): Texts {
  const form = element.closest("form") as HTMLFormElement;
  return Object.fromEntries(new FormData(form)) as Record<string, string>;
}

/**
 * How many objects, for how long, how sure and of what kind, in words. The chosen type decides
 * what the numbers mean.
 */
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
        {problems.evaluated && <p className="problem">{problems.evaluated}</p>}
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
