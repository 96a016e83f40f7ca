import { useEffect, useState } from "react";
import { useMutation, useQuery } from "urql";
import {
  type CameraRuleFragment,
  CameraRulesDocument,
  type CameraRulesQuery,
  ChangeRuleDocument,
} from "../../generated/console.js";
import { codeOf } from "../data/failure.js";
import { QueryResult } from "../data/query-result.js";
import { Problem } from "../form/problem.js";
import { useLanguage } from "../language/language.js";
import { StoredText } from "../language/stored-text.js";
import { Link } from "../navigation/link.js";
import { keepDraft, keptDraft } from "../session/drafts.js";
import { RulesIcon } from "../shell/icons.js";
import { Notice } from "../shell/notice.js";
import { Outcome, useOutcome } from "../shell/outcome.js";
import { useMay } from "../viewer/viewer.js";
import { AreaEditor, isOutline, type Outline } from "./area-editor.js";
import { defaultColor, minCorners, withArea } from "./areas.js";
import { CameraScene } from "./camera-scene.js";
import { isRuleBeingWritten, RuleForm, type SavedRule } from "./form/rule-form.js";
import { RuleCard } from "./rule-card.js";
import { useTexts } from "./texts.js";
import { WebhookSecret } from "./webhook/webhook-secret.js";

type Camera = NonNullable<CameraRulesQuery["camera"]>;

/** The time between two reads of waiting deliveries, in milliseconds. */
const pollInterval = 2_000;

/** The rules of a camera. */
export function CameraRules({ id }: { id: string }) {
  const { messages } = useLanguage();
  const [result, reexecute] = useQuery({ query: CameraRulesDocument, variables: { camera: id } });
  const readAgain = () => reexecute({ requestPolicy: "network-only" });
  const isWaiting =
    result.data?.camera?.alertRules.some(({ deliveries }) =>
      deliveries.nodes.some(({ state }) => state === "PENDING"),
    ) ?? false;
  // biome-ignore lint/correctness/useExhaustiveDependencies: all these functions read the same again.
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(readAgain, pollInterval);
    return () => clearInterval(timer);
  }, [isWaiting]);
  return (
    <QueryResult
      result={result}
      onRetry={readAgain}
      placeholder={<div className="scene placeholder" aria-busy="true" />}
    >
      {({ camera, workspace }) =>
        camera ? (
          <RulesOfCamera camera={camera} channels={workspace.deliveryChannels} />
        ) : (
          <Notice icon={<RulesIcon />} title={messages.fleet.noCamera}>
            {messages.fleet.noCameraText}
          </Notice>
        )
      }
    </QueryResult>
  );
}

/** The area of a rule while it is drawn. */
interface Drawing {
  rule: CameraRuleFragment;
  outline: Outline;
}

const outlineKey = ({ id }: CameraRuleFragment) => `outline ${id}`;

/** The drawing from before the session ended; undefined if there was none. */
function interruptedDrawing({ alertRules }: Camera): Drawing | undefined {
  return alertRules.flatMap((rule) => {
    const kept = keptDraft(outlineKey(rule));
    if (!isOutline(kept)) return [];
    const { updatedAt = rule.updatedAt, ...outline } = kept as Outline & { updatedAt?: string };
    return [{ rule: { ...rule, updatedAt }, outline }];
  })[0];
}

function RulesOfCamera({ camera, channels }: { camera: Camera; channels: readonly string[] }) {
  const { messages } = useLanguage();
  const rules = useTexts();
  const mayChange = useMay("alert-rules:write", camera.facility);
  const [selected, setSelected] = useState<string>();
  const [drawing, setDrawing] = useState(() => (mayChange ? interruptedDrawing(camera) : undefined));
  const [isAdding, setAdding] = useState(() => mayChange && isRuleBeingWritten({ cameraId: camera.id }));
  const [outcome, tell] = useOutcome();
  const [newSecret, setNewSecret] = useState<{ ruleId: string; secret: string }>();
  const signed = camera.alertRules.find(({ id }) => id === newSecret?.ruleId);
  const afterSaving = ({ id, secret, outcome: done }: SavedRule) => {
    tell(done);
    if (secret !== undefined) setNewSecret({ ruleId: id, secret });
  };
  const changeDrawing = (next: Drawing) => {
    keepDraft(outlineKey(next.rule), { ...next.outline, updatedAt: next.rule.updatedAt });
    setDrawing(next);
  };
  const endDrawing = ({ rule }: Drawing) => {
    keepDraft(outlineKey(rule), undefined);
    setDrawing(undefined);
  };
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
            <Link to={{ camera: camera.id }}>
              <StoredText>{camera.name}</StoredText>
            </Link>
          </h2>
          <p className="hint">
            <StoredText>{camera.facility.name}</StoredText> ·{" "}
            <Link to={{ view: "alerts", camera: camera.id }}>{messages.views.alerts}</Link>
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
                onChange={(outline) => changeDrawing({ ...drawing, outline })}
              />
            )
          }
        </CameraScene>
        {drawing && (
          <DrawingTools
            rule={drawing.rule}
            outline={drawing.outline}
            onRedraw={() => changeDrawing({ ...drawing, outline: { points: [], isClosed: false } })}
            onClose={(outline) => changeDrawing({ ...drawing, outline })}
            onEnd={() => endDrawing(drawing)}
            onSaved={tell}
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
                onSaved={afterSaving}
                onDeleted={tell}
              />
            </li>
          ))}
        </ul>
      )}
      {isAdding && <RuleForm camera={camera} onClose={() => setAdding(false)} onSaved={afterSaving} />}
      {newSecret && signed && (
        <WebhookSecret
          secret={newSecret.secret}
          rule={signed}
          camera={camera}
          channels={channels}
          onClose={() => setNewSecret(undefined)}
        />
      )}
      <Outcome>{outcome}</Outcome>
    </section>
  );
}

interface DrawingToolsProps {
  rule: CameraRuleFragment;
  outline: Outline;
  onRedraw: () => void;
  onClose: (outline: Outline) => void;
  onEnd: () => void;
  onSaved: (outcome: string) => void;
}

/** The buttons for the area that is being drawn. */
function DrawingTools({
  rule,
  outline: { points, isClosed },
  onRedraw,
  onClose,
  onEnd,
  onSaved,
}: DrawingToolsProps) {
  const rules = useTexts();
  const { forms } = useLanguage().messages;
  const [{ fetching, error }, change] = useMutation(ChangeRuleDocument);
  const isConflict = error !== undefined && codeOf(error) === "CONFLICT";
  const save = async ({ overwrites }: { overwrites: boolean }) => {
    const group = withArea(rule, points, rules.newArea);
    const expected = overwrites ? {} : { expectedUpdatedAt: rule.updatedAt };
    const saved = await change({ id: rule.id, input: { group, ...expected } });
    if (saved.error) return;
    onEnd();
    onSaved(rules.areaSaved);
  };
  return (
    <section className="drawing-tools" aria-label={rules.drawing}>
      {isClosed ? (
        <button
          type="button"
          className="primary"
          aria-busy={fetching}
          onClick={() => void save({ overwrites: false })}
        >
          {rules.saveArea}
        </button>
      ) : (
        <button
          type="button"
          className="primary"
          disabled={points.length < minCorners}
          onClick={() => onClose({ points, isClosed: true })}
        >
          {rules.closeOutline}
        </button>
      )}
      <button type="button" onClick={onRedraw}>
        {rules.redraw}
      </button>
      <button type="button" onClick={onEnd}>
        {forms.cancel}
      </button>
      <p id="pen-keys" className="hint">
        {isClosed ? rules.cornerKeys : rules.penKeys}
      </p>
      {isConflict && (
        <div className="form-question" role="alert">
          <p className="problem">{forms.changedMeanwhile}</p>
          <button type="button" onClick={() => void save({ overwrites: true })}>
            {forms.overwrite}
          </button>
        </div>
      )}
      {error && !isConflict && <Problem error={error} />}
    </section>
  );
}
