import "./rules.css";
import "./drawing/drawing.css";
import { useEffect, useRef, useState } from "react";
import { useQuery } from "urql";
import {
  type CameraRuleFragment,
  CameraRulesDocument,
  type RulesCameraFragment,
  RulesCamerasDocument,
} from "../../generated/console.js";
import type { Size } from "../../platform/geometry.js";
import { FeedFailure } from "../camera/feed-failure.js";
import { useTexts as useCameraTexts } from "../camera/texts.js";
import { Query, QueryResult, useRepeatedQuery } from "../data/query.js";
import { useShortcuts } from "../keyboard/shortcuts.js";
import { StoredText, useMessages } from "../language/language.js";
import { Link, useAddress } from "../navigation/location.js";
import { RulesIcon } from "../shell/icons.js";
import { Notice, useOutcome } from "../shell/notice/notice.js";
import { AddressSearch } from "../shell/search-field.js";
import { useMay } from "../viewer/viewer.js";
import { CameraScene } from "./camera-scene.js";
import { useAlertPoints } from "./drawing/alert-points.js";
import { AreaEditor } from "./drawing/area-editor.js";
import {
  type Drawing,
  forgetDrawing,
  interruptedDrawing,
  keepDrawing,
  newDrawing,
} from "./drawing/drawing.js";
import { DrawingTools } from "./drawing/drawing-tools.js";
import { FramesInVain } from "./evaluation/evaluation.js";
import { isRuleBeingWritten, RuleForm, type SavedRule } from "./form/rule-form.js";
import { RuleCard } from "./rule-card.js";
import { useTexts } from "./texts.js";
import { WebhookSecret } from "./webhook/webhook-secret.js";

export function RulesView() {
  const messages = useMessages();
  const address = useAddress();
  const text = address.get("text") ?? "";
  const search = useRef<HTMLInputElement>(null);
  useShortcuts(messages.views.rules, [
    { keys: "/", label: messages.fleet.search, run: () => search.current?.focus() },
  ]);
  const [{ data }] = useQuery({ query: RulesCamerasDocument, variables: { filter: {} } });
  const mayAdd = useMay("cameras:write");
  const cameraTexts = useCameraTexts();
  const camera = address.get("camera") ?? data?.searchCameras.nodes[0]?.id;
  if (data?.searchCameras.totalCount === 0)
    return (
      <Notice
        icon={<RulesIcon />}
        title={cameraTexts.noCameras}
        actions={mayAdd && <Link to={{ view: "settings" }}>{messages.views.settings}</Link>}
      >
        {mayAdd ? cameraTexts.noCamerasText : cameraTexts.noCamerasYet}
      </Notice>
    );
  return (
    <div className="rules">
      <CameraList text={text} selected={camera} search={search} />
      {camera && <CameraRules key={camera} id={camera} />}
    </div>
  );
}

interface CameraListProps {
  text: string;
  selected: string | undefined;
  search: React.RefObject<HTMLInputElement | null>;
}

/** The cameras to choose from: the first ones that match the search. */
function CameraList({ text, selected, search }: CameraListProps) {
  const messages = useMessages();
  const rules = useTexts();
  const { fleet } = messages;
  return (
    <nav className="rules-cameras" aria-label={fleet.cameras}>
      <AddressSearch ref={search} label={fleet.search} />
      <Query query={RulesCamerasDocument} variables={{ filter: text === "" ? {} : { text } }}>
        {({ searchCameras: { nodes, totalCount } }) => (
          <>
            <ul>
              {nodes.map(({ id, name, facility }) => (
                <li key={id}>
                  <Link
                    to={{ view: "rules", text, camera: id }}
                    aria-current={id === selected ? "true" : undefined}
                  >
                    <span>
                      <StoredText>{name}</StoredText>
                    </span>
                    <span className="hint">
                      <StoredText>{facility.name}</StoredText>
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
            {totalCount === 0 && <p className="hint">{fleet.noMatch}</p>}
            {totalCount > nodes.length && (
              <p className="hint">{rules.moreCameras(totalCount - nodes.length)}</p>
            )}
          </>
        )}
      </Query>
    </nav>
  );
}

/** The time between two reads, in milliseconds: of waiting deliveries, and of the last frame of a detector. */
const deliveryInterval = 2_000;
const frameInterval = 10_000;

/** The size of a picture that is not known. */
const usualSize: Size = { width: 1280, height: 720 };

function CameraRules({ id }: { id: string }) {
  const cameraTexts = useCameraTexts();
  const [result, readAgain] = useRepeatedQuery({ query: CameraRulesDocument, variables: { camera: id } });
  const isWaiting =
    result.data?.camera?.alertRules.some(({ deliveries }) =>
      deliveries.nodes.some(({ state }) => state === "PENDING"),
    ) ?? false;
  // biome-ignore lint/correctness/useExhaustiveDependencies: all these functions read the same again.
  useEffect(() => {
    const timer = setInterval(readAgain, isWaiting ? deliveryInterval : frameInterval);
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
          <Notice icon={<RulesIcon />} title={cameraTexts.noCamera}>
            {cameraTexts.noCameraText}
          </Notice>
        )
      }
    </QueryResult>
  );
}

function RulesOfCamera({ camera, channels }: { camera: RulesCameraFragment; channels: readonly string[] }) {
  const messages = useMessages();
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
  const [loaded, setLoaded] = useState<Size>();
  const size = camera.imageDimensions ?? loaded ?? usualSize;
  const alertPoints = useAlertPoints(camera.id, size, drawing !== undefined);
  const changeDrawing = (change: Partial<Drawing>) => {
    if (!drawing) return;
    const next = { ...drawing, ...change };
    keepDrawing(next);
    setDrawing(next);
  };
  const draw = (rule: CameraRuleFragment, areaId: string | undefined) => {
    setSelected(rule.id);
    setDrawing(newDrawing(rule, camera, rules.newArea, areaId));
  };
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
      <FeedFailure camera={camera} />
      <FramesInVain camera={camera} />
      <div className="camera-rules-scene">
        <CameraScene
          camera={camera}
          size={size}
          onLoad={setLoaded}
          rules={drawing ? camera.alertRules.filter(({ id }) => id !== drawing.rule.id) : camera.alertRules}
          selected={selected}
          onSelect={setSelected}
        >
          {drawing && (
            <AreaEditor size={size} drawing={drawing} alertPoints={alertPoints} onChange={changeDrawing} />
          )}
        </CameraScene>
        {drawing && (
          <DrawingTools
            drawing={drawing}
            alertPoints={alertPoints}
            onChange={changeDrawing}
            onEnd={() => {
              forgetDrawing(drawing);
              setDrawing(undefined);
            }}
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
                onDraw={(areaId) => draw(rule, areaId)}
                onSaved={afterSaving}
                tell={tell}
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
      {outcome}
    </section>
  );
}
