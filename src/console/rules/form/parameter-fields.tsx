import type { Texts } from "../../form/edit-form.js";
import { Field } from "../../form/field.js";
import type { FieldProblems } from "../../form/field-problems.js";
import { useTexts } from "../texts.js";

interface ParameterFieldsProps {
  start: Texts;
  /** The chosen type, which decides what the numbers mean. */
  type: string;
  problems: FieldProblems;
}

/** How many objects, for how long, how sure and of what kind, in words. */
export function ParameterFields({
  start,
  type,
  problems: { group: problem, evaluated },
}: ParameterFieldsProps) {
  const { parameters } = useTexts();
  const isShortage = type.startsWith("MIN_");
  const isExcess = type.startsWith("MAX_");
  const isGiven = ["minCount", "maxCount", "minSeconds", "confidence", "attributes", "cooldown"].some(
    (field) => Boolean(start[field]),
  );
  return (
    <>
      <div>
        <label className="choice">
          <input type="checkbox" name="evaluated" defaultChecked={"evaluated" in start} />
          {parameters.evaluated}
        </label>
        <p className="hint">{parameters.evaluatedHint}</p>
        {evaluated && <p className="problem">{evaluated}</p>}
      </div>
      <details open={isGiven || problem !== undefined}>
        <summary>{parameters.title}</summary>
        <div className="rule-fields">
          <div className="field-row">
            {!isExcess && (
              <NumberField
                name="minCount"
                label={isShortage ? parameters.enough : parameters.atLeast}
                least={isShortage ? 2 : 1}
                most={200}
                usual={isShortage ? "2" : "1"}
                start={start}
              />
            )}
            {!isShortage && (
              <NumberField
                name="maxCount"
                label={isExcess ? parameters.permitted : parameters.atMost}
                least={isExcess ? 0 : 1}
                most={200}
                usual={isExcess ? "0" : parameters.noLimit}
                start={start}
              />
            )}
            <NumberField
              name="minSeconds"
              label={parameters.seconds}
              least={0}
              most={86_400}
              step="any"
              usual="1"
              start={start}
            />
            <NumberField
              name="confidence"
              label={parameters.confidence}
              least={0}
              most={100}
              step="any"
              usual="50"
              start={start}
            />
            <NumberField
              name="cooldown"
              label={parameters.cooldown}
              least={0}
              most={86_400}
              step="any"
              usual="60"
              start={start}
            />
          </div>
          <Field label={parameters.attributes} hint={parameters.attributesHint} problem={problem}>
            {(attributes) => (
              <textarea {...attributes} name="attributes" rows={2} defaultValue={start.attributes} />
            )}
          </Field>
        </div>
      </details>
    </>
  );
}

interface NumberFieldProps {
  name: string;
  label: string;
  least: number;
  most: number;
  step?: "any";
  /** What an empty field means. */
  usual: string;
  start: Texts;
}

function NumberField({ name, label, least, most, step, usual, start }: NumberFieldProps) {
  return (
    <Field label={label}>
      {(attributes) => (
        <input
          {...attributes}
          name={name}
          type="number"
          min={least}
          max={most}
          step={step}
          placeholder={usual}
          defaultValue={start[name]}
        />
      )}
    </Field>
  );
}
