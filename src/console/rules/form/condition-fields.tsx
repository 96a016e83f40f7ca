import { useState } from "react";
import type { CameraRuleFragment } from "../../../generated/console.js";
import { Checkbox, SelectField, TextField, type Texts, useForm } from "../../form/field.js";
import { useLanguage } from "../../language/language.js";
import type { RuleNode } from "../rule-node.js";
import { useRuleSentence } from "../sentence/use-rule-sentence.js";
import { useTexts } from "../texts.js";
import { changeableDetection, knownObjects, knownTypes, objectField, treeOf } from "./conditions.js";
import { ParameterFields } from "./parameter-fields.js";
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
