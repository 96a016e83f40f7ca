import { useState } from "react";
import { useMutation } from "urql";
import { ChangeRuleDocument } from "../../../generated/console.js";
import { contains, type Point, polygonOf } from "../../../platform/geometry.js";
import { codeOf } from "../../data/failure.js";
import { Confirmation } from "../../form/confirmation.js";
import { Problem } from "../../form/edit-form.js";
import { Field } from "../../form/field.js";
import { useLanguage } from "../../language/language.js";
import { minCorners, withArea, withoutArea } from "../areas.js";
import { areaColors } from "../colors.js";
import type { RuleNode } from "../rule-node.js";
import { ruleNode } from "../rule-node.js";
import { useTexts } from "../texts.js";
import type { AlertPoints } from "./alert-points.js";
import type { Drawing } from "./drawing.js";

interface DrawingToolsProps {
  drawing: Drawing;
  alertPoints: AlertPoints | undefined;
  onChange: (change: Partial<Drawing>) => void;
  onEnd: () => void;
  onSaved: (outcome: string) => void;
}

export function DrawingTools({ drawing, alertPoints, onChange, onEnd, onSaved }: DrawingToolsProps) {
  const { rule, id, name, color, points, isClosed, corner } = drawing;
  const rules = useTexts();
  const { forms } = useLanguage().messages;
  const [{ fetching, error }, change] = useMutation(ChangeRuleDocument);
  const [isRemoving, setRemoving] = useState(false);
  const isConflict = error !== undefined && codeOf(error) === "CONFLICT";
  const rest = id === undefined ? undefined : withoutArea(ruleNode(rule.group), id);
  const send = async (group: RuleNode, outcome: string, overwrites = false) => {
    const expected = overwrites ? {} : { expectedUpdatedAt: rule.updatedAt };
    const saved = await change({ id: rule.id, input: { group, ...expected } });
    if (saved.error) return;
    onEnd();
    onSaved(outcome);
  };
  const save = (overwrites = false) =>
    void send(withArea(rule, { id, name: name.trim(), color, points }), rules.areaSaved, overwrites);
  const removeCorner = () =>
    corner !== undefined && onChange({ points: points.toSpliced(corner, 1), corner: undefined });
  return (
    <section className="drawing-tools" aria-label={rules.drawing}>
      <AlertCount alertPoints={alertPoints} points={points} />
      <div className="field-row drawing-fields">
        <Field label={rules.areaName}>
          {(attributes) => (
            <input
              {...attributes}
              value={name}
              maxLength={200}
              onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
            />
          )}
        </Field>
        <ColorChoice color={color} onChoose={(chosen) => onChange({ color: chosen })} />
      </div>
      {isClosed ? (
        <button
          type="button"
          className="primary"
          aria-busy={fetching}
          disabled={name.trim() === ""}
          onClick={() => save()}
        >
          {rules.saveArea}
        </button>
      ) : (
        <button
          type="button"
          className="primary"
          disabled={points.length < minCorners}
          onClick={() => onChange({ isClosed: true })}
        >
          {rules.closeOutline}
        </button>
      )}
      {isClosed ? (
        <button
          type="button"
          disabled={corner === undefined || points.length <= minCorners}
          onClick={removeCorner}
        >
          {corner === undefined ? rules.removeCorner : rules.removeCornerNumber(corner + 1)}
        </button>
      ) : (
        <button
          type="button"
          disabled={points.length === 0}
          onClick={() => onChange({ points: points.slice(0, -1) })}
        >
          {rules.takeBack}
        </button>
      )}
      <button type="button" onClick={() => onChange({ points: [], isClosed: false, corner: undefined })}>
        {rules.redraw}
      </button>
      {rest && (
        <button type="button" onClick={() => setRemoving(true)}>
          {rules.removeArea}
        </button>
      )}
      <button type="button" onClick={onEnd}>
        {forms.cancel}
      </button>
      <p id="pen-keys" className="hint">
        {isClosed ? rules.cornerKeys : rules.penKeys}
      </p>
      {isConflict && (
        <div className="form-question" role="alert">
          <p className="problem">{forms.changedMeanwhile}</p>
          <button type="button" onClick={() => save(true)}>
            {forms.overwrite}
          </button>
        </div>
      )}
      {error && !isConflict && !isRemoving && <Problem error={error} />}
      {rest && isRemoving && (
        <Confirmation
          title={rules.removeAreaTitle}
          label={rules.removeArea}
          isBusy={fetching}
          error={error}
          onConfirm={() => void send(rest, rules.areaRemoved)}
          onClose={() => setRemoving(false)}
        >
          <p>{rules.removeAreaText}</p>
        </Confirmation>
      )}
    </section>
  );
}

/** The colours that everybody can tell apart, and any other. */
function ColorChoice({ color, onChoose }: { color: string; onChoose: (color: string) => void }) {
  const rules = useTexts();
  const isOther = !areaColors.includes(color.toLowerCase());
  return (
    <fieldset className="color-choice">
      <legend>{rules.color}</legend>
      {areaColors.map((each, index) => (
        <label key={each}>
          <input
            type="radio"
            name="area-color"
            aria-label={rules.colors[index]}
            checked={each === color.toLowerCase()}
            onChange={() => onChoose(each)}
          />
          <span style={{ background: each }} aria-hidden="true" />
        </label>
      ))}
      <input
        type="color"
        aria-label={rules.otherColor}
        title={rules.otherColor}
        data-chosen={isOther}
        value={color}
        onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      />
    </fieldset>
  );
}

function AlertCount({
  alertPoints,
  points,
}: {
  alertPoints: AlertPoints | undefined;
  points: readonly Point[];
}) {
  const rules = useTexts();
  if (!alertPoints || points.length < minCorners) return null;
  const { alerts, total } = alertPoints;
  if (total === 0) return <p className="hint">{rules.noRecentAlerts}</p>;
  const area = polygonOf(points);
  const inside = alerts.filter((each) => each.some(({ x, y }) => contains(area, x, y))).length;
  return (
    <p className="alerts-inside" role="status">
      {rules.alertsInside(inside, alerts.length, alerts.length < total)}
    </p>
  );
}
