import { Checkbox, TextField, useForm } from "../../form/field.js";
import { useTexts } from "../texts.js";

/**
 * How many objects, for how long, how sure and of what kind, in words. The chosen type decides
 * what the numbers mean.
 */
export function ParameterFields({ type }: { type: string }) {
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
