import { useState } from "react";
import type { CameraRuleFragment } from "../../../generated/console.js";
import type { Texts } from "../../form/edit-form.js";
import { Field } from "../../form/field.js";
import type { FieldProblems } from "../../form/field-problems.js";
import { useLanguage } from "../../language/language.js";
import type { RuleNode } from "../rule-node.js";
import { useRuleSentence } from "../sentence/use-rule-sentence.js";
import { useTexts } from "../texts.js";
import { changeableDetection, knownObjects, knownTypes, objectField, treeOf } from "./conditions.js";
import { ParameterFields } from "./parameter-fields.js";
import { hasOwnAlertName } from "./rule-input.js";

interface ConditionFieldsProps {
  start: Texts;
  rule: CameraRuleFragment | undefined;
  tree: RuleNode;
  problems: FieldProblems;
}

/** The name of a rule, and what it looks for, with the sentence that says so. */
export function ConditionFields({ start, rule, tree, problems }: ConditionFieldsProps) {
  const { words } = useLanguage();
  const rules = useTexts();
  const sentenceOf = useRuleSentence();
  const [texts, setTexts] = useState(start);
  const detection = changeableDetection(tree);
  return (
    <fieldset className="rule-fields" onInput={({ currentTarget }) => setTexts(textsIn(currentTarget))}>
      <legend>{rules.conditions}</legend>
      <Field label={rules.title} hint={rules.titleHint}>
        {(attributes) => <input {...attributes} name="title" maxLength={200} defaultValue={start.title} />}
      </Field>
      {detection && (
        <>
          <Field label={rules.type}>
            {(attributes) => (
              <select {...attributes} name="type" defaultValue={start.type}>
                {[...new Set([...knownTypes, detection.type])].map((type) => (
                  <option key={type} value={type}>
                    {words.alertType(type)}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <fieldset className="choices rule-objects">
            <legend>{rules.object}</legend>
            {knownObjects.map((label) => (
              <label key={label} className="choice">
                <input
                  type="checkbox"
                  name={objectField(label)}
                  defaultChecked={objectField(label) in start}
                />
                {rules.objects[label]}
              </label>
            ))}
          </fieldset>
          <Field label={rules.otherObjects} hint={rules.otherObjectsHint}>
            {(attributes) => <input {...attributes} name="otherObjects" defaultValue={start.otherObjects} />}
          </Field>
        </>
      )}
      {detection && <ParameterFields start={start} type={texts.type ?? detection.type} problems={problems} />}
      {hasOwnAlertName(rule, tree) && (
        <Field label={rules.alertName} hint={rules.alertNameHint} problem={problems.name}>
          {(attributes) => (
            <input {...attributes} name="alertName" required maxLength={100} defaultValue={start.alertName} />
          )}
        </Field>
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
