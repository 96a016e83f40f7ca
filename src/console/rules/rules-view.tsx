import "./rules.css";
import { useRef, useState } from "react";
import { useQuery } from "urql";
import {
  CameraRulesDocument,
  type RulesCameraFragment,
  RulesCamerasDocument,
} from "../../generated/console.js";
import type { Size } from "../../platform/geometry.js";
import { FeedFailure } from "../camera/feed-failure.js";
import { useTexts as useCameraTexts } from "../camera/texts.js";
import { Query, QueryResult, useRepeatedQuery } from "../data/query.js";
import { useInterval } from "../data/throttled.js";
import { useShortcuts } from "../keyboard/shortcuts.js";
import { StoredText, useMessages } from "../language/language.js";
import { Link, useAddress } from "../navigation/location.js";
import { RulesIcon } from "../shell/icons.js";
import { Notice, useOutcome } from "../shell/notice/notice.js";
import { AddressSearch } from "../shell/search-field.js";
import { useMay } from "../viewer/viewer.js";
import { CameraScene, usualSize } from "./camera-scene.js";
import { RuleCopy } from "./copy/rule-copy.js";
import { FramesInVain } from "./evaluation/evaluation.js";
import { RulePage, type SavedRule } from "./form/rule-page.js";
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
  // A rule has all of the width for its picture and its form.
  const isOneRule = address.has("rule");
  return (
    <div className={isOneRule ? undefined : "rules"}>
      {!isOneRule && <CameraList text={text} selected={camera} search={search} />}
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

function CameraRules({ id }: { id: string }) {
  const cameraTexts = useCameraTexts();
  const [result, readAgain] = useRepeatedQuery({ query: CameraRulesDocument, variables: { camera: id } });
  const isWaiting =
    result.data?.camera?.alertRules.some(({ deliveries }) =>
      deliveries.nodes.some(({ state }) => state === "PENDING"),
    ) ?? false;
  useInterval(readAgain, isWaiting ? deliveryInterval : frameInterval);
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

interface RulesOfCameraProps {
  camera: RulesCameraFragment;
  channels: readonly string[];
}

function RulesOfCamera({ camera, channels }: RulesOfCameraProps) {
  const mayChange = useMay("alert-rules:write", camera.facility);
  const shown = useAddress().get("rule");
  const rule = camera.alertRules.find(({ id }) => id === shown);
  const [outcome, tell] = useOutcome();
  const [saved, setSaved] = useState<SavedRule>();
  const savedRule = camera.alertRules.find(({ id }) => id === saved?.id);
  const finish = (change: Partial<SavedRule>) => saved && setSaved({ ...saved, ...change });
  return (
    <>
      {mayChange && (rule || shown === "new" || shown === "first") ? (
        <RulePage
          key={shown}
          camera={camera}
          channels={channels}
          rule={rule}
          isFirst={shown === "first"}
          onSaved={(done) => {
            tell(done.outcome);
            setSaved(done);
          }}
        />
      ) : (
        <RuleList camera={camera} channels={channels} mayChange={mayChange} tell={tell} />
      )}
      {saved &&
        savedRule &&
        (saved.targets.length > 0 ? (
          <RuleCopy
            rule={savedRule}
            camera={camera}
            targets={saved.targets}
            knownSecret={saved.secret}
            onClose={() => finish({ targets: [] })}
            onCopied={tell}
          />
        ) : (
          saved.secret !== undefined && (
            <WebhookSecret
              secret={saved.secret}
              rule={savedRule}
              camera={camera}
              channels={channels}
              onClose={() => finish({ secret: undefined })}
            />
          )
        ))}
      {outcome}
    </>
  );
}

interface RuleListProps extends RulesOfCameraProps {
  mayChange: boolean;
  tell: (outcome: string) => void;
}

function RuleList({ camera, channels, mayChange, tell }: RuleListProps) {
  const messages = useMessages();
  const rules = useTexts();
  const [selected, setSelected] = useState<string>();
  const [loaded, setLoaded] = useState<Size>();
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
          <Link className="button primary" to={{ view: "rules", camera: camera.id, rule: "new" }}>
            {rules.add}
          </Link>
        )}
      </header>
      <FeedFailure camera={camera} />
      <FramesInVain camera={camera} />
      <div className="camera-rules-scene">
        <CameraScene
          camera={camera}
          size={camera.imageDimensions ?? loaded ?? usualSize}
          onLoad={setLoaded}
          rules={camera.alertRules}
          selected={selected}
          onSelect={setSelected}
        />
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
                tell={tell}
              />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
