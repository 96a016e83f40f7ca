import { useEffect, useState } from "react";
import { useMutation, useQuery } from "urql";
import { type CameraRuleFragment, CameraRulesDocument, type CameraRulesQuery, ChangeRuleDocument } from "../../generated/console.js";
import { QueryResult } from "../data/query-result.js";
import { useLanguage } from "../language/language.js";
import { StoredText } from "../language/stored-text.js";
import { Link } from "../navigation/link.js";
import { RulesIcon } from "../shell/icons.js";
import { Notice } from "../shell/notice.js";
import { useMay } from "../viewer/viewer.js";
import { AreaEditor, type Outline } from "./area-editor.js";
import { defaultColor, minCorners, withArea } from "./areas.js";
import { CameraScene } from "./camera-scene.js";
import { Problem } from "./problem.js";
import { RuleCard } from "./rule-card.js";
import { RuleForm } from "./rule-form.js";

type Camera = NonNullable<CameraRulesQuery["camera"]>;

/** How often what waits to be sent is looked at again, in milliseconds. */
const pollInterval = 2_000;

/** The rules of a camera. */
export function CameraRules({ id }: { id: string }) {
  const { messages } = useLanguage();
  const [result, reexecute] = useQuery({ query: CameraRulesDocument, variables: { camera: id } });
  const readAgain = () => reexecute({ requestPolicy: "network-only" });
  const isWaiting = result.data?.camera?.alertRules.some(({ deliveries }) => deliveries.nodes.some(({ state }) => state === "PENDING")) ?? false;
  // biome-ignore lint/correctness/useExhaustiveDependencies: reading again is the same, whichever function does it.
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(readAgain, pollInterval);
    return () => clearInterval(timer);
  }, [isWaiting]);
  return (
    <QueryResult result={result} onRetry={readAgain} placeholder={<div className="scene placeholder" aria-busy="true" />}>
      {({ camera, workspace }) =>
        camera ? (
          <RulesOfCamera camera={camera} channels={workspace.deliveryChannels} />
        ) : (
          <Notice icon={<RulesIcon />} title={messages.rules.noCamera}>
            {messages.failures.invalid.text}
          </Notice>
        )
      }
    </QueryResult>
  );
}

function RulesOfCamera({ camera, channels }: { camera: Camera; channels: readonly string[] }) {
  const { messages, words } = useLanguage();
  const { rules } = messages;
  const mayChange = useMay("alert-rules:write", camera.facility);
  const [selected, setSelected] = useState<string>();
  const [drawing, setDrawing] = useState<{ rule: CameraRuleFragment; outline: Outline }>();
  const [isAdding, setAdding] = useState(false);
  const draw = (rule: CameraRuleFragment) => {
    const points = rule.areas[0]?.points ?? [];
    setSelected(rule.id);
    setDrawing({ rule, outline: { points, isClosed: points.length >= minCorners } });
  };
  const shown = drawing ? camera.alertRules.filter(({ id }) => id !== drawing.rule.id) : camera.alertRules;
  return (
    <section className="camera-rules" aria-labelledby="camera-name">
      <header>
        <div>
          <h2 id="camera-name">
            <StoredText>{camera.name}</StoredText>
          </h2>
          <p className="hint">
            <StoredText>{camera.facility.name}</StoredText> · <Link to={{ view: "alerts", camera: camera.id }}>{messages.views.alerts}</Link>
          </p>
        </div>
        {mayChange && (
          <button type="button" onClick={() => setAdding(true)}>
            {rules.add}
          </button>
        )}
      </header>
      <div className="camera-rules-scene">
        <CameraScene camera={camera} rules={shown} selected={selected} onSelect={setSelected}>
          {(size) =>
            drawing && (
              <AreaEditor
                size={size}
                color={drawing.rule.areas[0]?.color ?? defaultColor}
                outline={drawing.outline}
                onChange={(outline) => setDrawing({ ...drawing, outline })}
              />
            )
          }
        </CameraScene>
        {drawing && (
          <DrawingTools
            rule={drawing.rule}
            outline={drawing.outline}
            onRedraw={() => setDrawing({ ...drawing, outline: { points: [], isClosed: false } })}
            onClose={(outline) => setDrawing({ ...drawing, outline })}
            onEnd={() => setDrawing(undefined)}
          />
        )}
      </div>
      {camera.alertRules.length === 0 ? (
        <p className="hint">{rules.none}</p>
      ) : (
        <ul className="rule-cards" aria-label={rules.list}>
          {camera.alertRules.map((rule) => (
            <li key={rule.id}>
              <RuleCard
                rule={rule}
                camera={camera}
                channels={channels}
                mayChange={mayChange}
                isSelected={rule.id === selected}
                onSelect={() => setSelected(rule.id === selected ? undefined : rule.id)}
                onDraw={() => draw(rule)}
                title={words.alertType(rule.name)}
              />
            </li>
          ))}
        </ul>
      )}
      {isAdding && <RuleForm cameraId={camera.id} onClose={() => setAdding(false)} />}
    </section>
  );
}

interface DrawingToolsProps {
  rule: CameraRuleFragment;
  outline: Outline;
  onRedraw: () => void;
  onClose: (outline: Outline) => void;
  onEnd: () => void;
}

/** What can be done with the area that is being drawn. */
function DrawingTools({ rule, outline: { points, isClosed }, onRedraw, onClose, onEnd }: DrawingToolsProps) {
  const { messages, words } = useLanguage();
  const { rules } = messages;
  const [{ fetching, error }, change] = useMutation(ChangeRuleDocument);
  const save = async () => {
    const group = withArea(rule, points, words.alertType(rule.name));
    const saved = await change({ id: rule.id, input: { group } });
    if (!saved.error) onEnd();
  };
  return (
    <section className="drawing-tools" aria-label={rules.drawing}>
      {isClosed ? (
        <button type="button" className="primary" aria-busy={fetching} onClick={() => void save()}>
          {rules.saveArea}
        </button>
      ) : (
        <button type="button" className="primary" disabled={points.length < minCorners} onClick={() => onClose({ points, isClosed: true })}>
          {rules.closeOutline}
        </button>
      )}
      <button type="button" onClick={onRedraw}>
        {rules.redraw}
      </button>
      <button type="button" onClick={onEnd}>
        {rules.cancel}
      </button>
      <p id="pen-keys" className="hint">
        {isClosed ? rules.cornerKeys : rules.penKeys}
      </p>
      {error && <Problem error={error} />}
    </section>
  );
}
