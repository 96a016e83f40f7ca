import "./drawing.css";
import { useEffect, useRef, useState } from "react";
import type { CameraRuleFragment, RulesCameraFragment } from "../../../generated/console.js";
import { contains, type Point, polygonOf, type Size } from "../../../platform/geometry.js";
import { isolated } from "../../../platform/text/text-direction.js";
import { Checkbox, Field, FieldProblem, useForm } from "../../form/field.js";
import { useAddress } from "../../navigation/location.js";
import {
  type AreaChange,
  areasIn,
  areasText,
  type DrawnArea,
  defaultColor,
  mayAddArea,
  minCorners,
} from "../areas.js";
import { CameraScene, usualSize } from "../camera-scene.js";
import { areaColors, distinctColor } from "../colors.js";
import type { RuleNode } from "../rule-node.js";
import { useTexts } from "../texts.js";
import { type AlertPoints, useAlertPoints } from "./alert-points.js";
import { AreaEditor } from "./area-editor.js";

interface RuleAreasProps {
  camera: RulesCameraFragment;
  rule: CameraRuleFragment | undefined;
  tree: RuleNode;
}

/** The areas of a rule, drawn on the picture of its camera. The form has them in a hidden field. */
export function RuleAreas({ camera, rule, tree }: RuleAreasProps) {
  const rules = useTexts();
  const { problems } = useForm();
  const [loaded, setLoaded] = useState<Size>();
  const size = camera.imageDimensions ?? loaded ?? usualSize;
  const others = camera.alertRules.filter(({ id }) => id !== rule?.id);
  const taken = others.flatMap((other) => other.areas.map(({ color }) => color ?? defaultColor));
  const { areas, active, area, field, select, change, add, remove } = useAreas(taken);
  const alertPoints = useAlertPoints(camera.id, size, areas.length > 0);
  const section = useRef<HTMLElement>(null);
  useEffect(() => {
    if (problems.areas) section.current?.querySelector<HTMLElement>(".pen")?.focus();
  }, [problems.areas]);
  return (
    <section ref={section} className="rule-areas" aria-label={rules.where}>
      {field}
      {area && (
        <p id="pen-keys" className="hint">
          {area.isClosed ? rules.moveCorners : rules.setCorners}{" "}
          <span className="by-keys">{area.isClosed ? rules.cornerKeys : rules.penKeys}</span>
        </p>
      )}
      <CameraScene camera={camera} size={size} onLoad={setLoaded} rules={others}>
        {area && (
          <AreaEditor
            key={active}
            size={size}
            area={area}
            others={areas.filter((each) => each !== area)}
            alertPoints={alertPoints}
            onChange={change}
          />
        )}
      </CameraScene>
      <FieldProblem of="areas" />
      {areas.length > 1 && (
        <div className="drawing-tools">
          {areas.map(({ name }, index) => (
            <button
              // biome-ignore lint/suspicious/noArrayIndexKey: new areas have no other identity.
              key={index}
              type="button"
              aria-pressed={index === active}
              onClick={() => select(index)}
            >
              {isolated(name)}
            </button>
          ))}
        </div>
      )}
      {area && (
        <DrawingTools
          area={area}
          isOnly={areas.length === 1}
          alertPoints={alertPoints}
          onChange={change}
          onRemove={remove}
        />
      )}
      {areas.every(({ points }) => points.length === 0) ? (
        <Checkbox checked={areas.length === 0} onChange={areas.length === 0 ? add : remove}>
          {rules.wholePicture}
        </Checkbox>
      ) : (
        mayAddArea(tree) &&
        areas.every(({ isClosed }) => isClosed) && (
          <button type="button" onClick={add}>
            {rules.drawAnotherArea}
          </button>
        )
      )}
    </section>
  );
}

/** The areas in the form. One of them can be changed at a time. */
function useAreas(taken: readonly string[]) {
  const { newArea } = useTexts();
  const { start } = useForm();
  const chosen = useAddress().get("area");
  const empty = (present: readonly DrawnArea[]): DrawnArea => ({
    name: newArea,
    color: distinctColor([...taken, ...present.map(({ color }) => color ?? defaultColor)]),
    points: [],
    isClosed: false,
  });
  const [areas, setAreas] = useState(() => {
    const given = areasIn(start.areas);
    const isFirst = chosen === "new" && given.every(({ id }) => id !== undefined);
    return start.areas === undefined || isFirst ? [...given, empty(given)] : given;
  });
  const [active, select] = useState(() =>
    Math.max(
      areas.findIndex(({ id, isClosed }) => !isClosed || id === chosen),
      0,
    ),
  );
  const text = areasText(areas.map((each) => ({ ...each, name: each.name.trim() || newArea })));
  const told = useRef(text);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (told.current === text) return;
    told.current = text;
    // The form keeps what is entered when it hears of it.
    field.current?.dispatchEvent(new Event("input", { bubbles: true }));
  }, [text]);
  return {
    areas,
    active,
    area: areas[active],
    select,
    field: <input ref={field} type="hidden" name="areas" value={text} />,
    change: (change: AreaChange) =>
      setAreas((before) => before.map((each, index) => (index === active ? { ...each, ...change } : each))),
    add: () => {
      setAreas([...areas, empty(areas)]);
      select(areas.length);
    },
    remove: () => {
      setAreas(areas.toSpliced(active, 1));
      select(0);
    },
  };
}

interface DrawingToolsProps {
  area: DrawnArea;
  isOnly: boolean;
  alertPoints: AlertPoints | undefined;
  onChange: (change: AreaChange) => void;
  onRemove: () => void;
}

function DrawingTools({ area, isOnly, alertPoints, onChange, onRemove }: DrawingToolsProps) {
  const { name, color = defaultColor, points, isClosed, corner } = area;
  const rules = useTexts();
  return (
    <div className="drawing-tools">
      <AlertCount alertPoints={alertPoints} points={points} />
      {isClosed ? (
        <>
          <div className="field-row drawing-fields">
            <Field label={rules.areaName}>
              {(attributes) => (
                <input
                  {...attributes}
                  value={name}
                  maxLength={200}
                  placeholder={rules.newArea}
                  onChange={({ currentTarget }) => onChange({ name: currentTarget.value })}
                />
              )}
            </Field>
            <ColorChoice color={color} onChoose={(chosen) => onChange({ color: chosen })} />
          </div>
          {corner !== undefined && points.length > minCorners && (
            <button
              type="button"
              onClick={() => onChange({ points: points.toSpliced(corner, 1), corner: undefined })}
            >
              {rules.removeCorner(corner + 1)}
            </button>
          )}
        </>
      ) : (
        <>
          <button
            type="button"
            disabled={points.length < minCorners}
            onClick={() => onChange({ isClosed: true })}
          >
            {rules.closeOutline}
          </button>
          <button
            type="button"
            disabled={points.length === 0}
            onClick={() => onChange({ points: points.slice(0, -1) })}
          >
            {rules.takeBack}
          </button>
        </>
      )}
      {points.length > 0 && (
        <button type="button" onClick={() => onChange({ points: [], isClosed: false, corner: undefined })}>
          {rules.redraw}
        </button>
      )}
      {(points.length > 0 || !isOnly) && (
        <button type="button" onClick={onRemove}>
          {rules.removeArea}
        </button>
      )}
    </div>
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
