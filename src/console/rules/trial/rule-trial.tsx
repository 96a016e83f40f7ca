import "./trial.css";
import { useEffect, useState } from "react";
import { type Client, type CombinedError, useClient } from "urql";
import {
  type CameraRuleFragment,
  type DetectionFrameInput,
  KeptFramesDocument,
  type RulesCameraFragment,
  type TestedAlertFragment,
  TryRuleDocument,
  type TryRuleMutationVariables,
} from "../../../generated/console.js";
import type { Size } from "../../../platform/geometry.js";
import { ActionButton } from "../../form/edit-form.js";
import { type Texts, useForm } from "../../form/field.js";
import { Moment, useLanguage } from "../../language/language.js";
import { CameraScene } from "../camera-scene.js";
import { useTexts } from "../texts.js";

export type TriedRule = Pick<TryRuleMutationVariables, "group" | "dayRange" | "timeRange">;

/** The maximum number of alerts in the list, the newest. */
const mostListed = 50;

type Outcome =
  | { frames: readonly DetectionFrameInput[]; alerts: readonly TestedAlertFragment[] }
  | "nothing kept";

interface RuleTrialProps {
  camera: RulesCameraFragment;
  rule: CameraRuleFragment | undefined;
  ruleOf: (texts: Texts) => TriedRule;
}

/** Shows which alerts the rule in the form would have raised on what detectors saw lately, before it is saved. */
export function RuleTrial({ camera, rule, ruleOf }: RuleTrialProps) {
  const { trial } = useTexts();
  const { texts } = useForm();
  const client = useClient();
  const [outcome, setOutcome] = useState<Outcome>();
  // What was found no longer holds once the rule is changed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it depends on what the form says.
  useEffect(() => setOutcome(undefined), [texts]);
  const run = async () => {
    const kept = await readKeptFrames(client, camera.id);
    if ("error" in kept) return kept;
    const variables = { camera: camera.id, ...ruleOf(texts) };
    const frames = kept.frames && newestThatFit(kept.frames, variables);
    if (!frames?.length) {
      setOutcome(frames ? { frames, alerts: [] } : "nothing kept");
      return undefined;
    }
    const tried = await client.mutation(TryRuleDocument, { ...variables, frames });
    if (!tried.error) setOutcome({ frames, alerts: tried.data?.testAlertRule.alerts ?? [] });
    return tried;
  };
  return (
    <fieldset className="rule-fields rule-trial">
      <legend>{trial.title}</legend>
      <p className="hint">{trial.text}</p>
      <div>
        <ActionButton run={run}>{trial.run}</ActionButton>
      </div>
      <div role="status">
        {outcome === "nothing kept" && <p>{trial.nothingKept}</p>}
        {typeof outcome === "object" && <Findings {...outcome} camera={camera} rule={rule} />}
      </div>
    </fieldset>
  );
}

interface FindingsProps extends Pick<RuleTrialProps, "camera" | "rule"> {
  frames: readonly DetectionFrameInput[];
  alerts: readonly TestedAlertFragment[];
}

function Findings({ frames, alerts, camera, rule }: FindingsProps) {
  const { formats } = useLanguage();
  const texts = useTexts().trial;
  const timeZone = camera.facility.timeZoneId;
  const [loaded, setLoaded] = useState<Size>();
  const [selected, setSelected] = useState<string>();
  const [oldest] = frames;
  if (!oldest) return <p>{texts.noFrames}</p>;
  const sizes = new Map(frames.map(({ at, width, height }) => [at, { width, height }]));
  const listed = alerts.slice(-mostListed).reverse();
  return (
    <>
      <p>
        <strong>{texts.found(alerts.length)}</strong>{" "}
        {texts.of(frames.length, formats.moment(oldest.at, timeZone))}
      </p>
      {alerts.length > 0 && (
        <>
          <CameraScene
            camera={camera}
            size={camera.imageDimensions ?? loaded ?? oldest}
            onLoad={setLoaded}
            rules={rule ? [rule] : []}
          >
            <AlertPoints alerts={listed} sizes={sizes} selected={selected} />
          </CameraScene>
          <ul className="trial-alerts" aria-label={texts.alerts}>
            {listed.map(({ at, count }) => (
              <li key={at}>
                <button
                  type="button"
                  aria-pressed={at === selected}
                  onClick={() => setSelected(at === selected ? undefined : at)}
                >
                  <Moment instant={at} timeZone={timeZone} />
                  <span className="hint">{texts.objects(count)}</span>
                </button>
              </li>
            ))}
          </ul>
          {alerts.length > listed.length && (
            <p className="hint">{texts.more(alerts.length - listed.length)}</p>
          )}
        </>
      )}
    </>
  );
}

interface AlertPointsProps {
  alerts: readonly TestedAlertFragment[];
  sizes: ReadonlyMap<string, Size>;
  selected: string | undefined;
}

function AlertPoints({ alerts, sizes, selected }: AlertPointsProps) {
  const points = alerts.flatMap(({ at, violatingCoordinates }) => {
    const { width, height } = sizes.get(at) ?? { width: 1, height: 1 };
    return violatingCoordinates.map(({ x, y }) => ({ at, x: x / width, y: y / height }));
  });
  return (
    <div className="trial-points" aria-hidden="true">
      {points.map(({ at, x, y }) => (
        <span
          key={`${at} ${x} ${y}`}
          data-selected={selected === undefined ? undefined : at === selected}
          style={{ left: `${100 * x}%`, top: `${100 * y}%` }}
        />
      ))}
    </div>
  );
}

/** All that the gateway keeps of a camera. */
const mostFrames = 1000;
/** A page of frames with many objects stays small. */
const pageSize = 100;

/** The values and the objects that a request may hold. */
const mostValues = 150_000;
const mostObjects = 5_000;

/** The frames of a camera that the gateway keeps, or why they could not be read. */
type KeptFrames = { frames: DetectionFrameInput[] | null } | { error: CombinedError };

/** Reads what a camera's detectors saw lately, oldest first; null if the gateway keeps no detections. */
async function readKeptFrames(client: Client, cameraId: string): Promise<KeptFrames> {
  const frames: DetectionFrameInput[] = [];
  let after: string | null = null;
  do {
    const { data, error } = await readPage(client, cameraId, after);
    if (error) return { error };
    const page = data?.camera?.detections;
    if (!page) return { frames: null };
    for (const { at, width, height, objects } of page.nodes)
      frames.push({
        cameraId,
        at,
        width,
        height,
        objects: objects.map(({ label, confidence, box: { x, y, width, height }, trackId, attributes }) => ({
          label,
          confidence,
          box: { x, y, width, height },
          ...(trackId !== null && { trackId }),
          ...(attributes !== null && { attributes }),
        })),
      });
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
  } while (after !== null && frames.length < mostFrames);
  return { frames: frames.slice(0, mostFrames).reverse() };
}

const readPage = (client: Client, camera: string, after: string | null) =>
  client
    .query(KeptFramesDocument, { camera, first: pageSize, after }, { requestPolicy: "network-only" })
    .toPromise();

/** The newest frames that fit into a request, with what else it says; oldest first. */
function newestThatFit(frames: readonly DetectionFrameInput[], others: object) {
  let values = countValues(others) + countValues([]);
  let objects = 0;
  const tooOld = frames.findLastIndex((frame) => {
    values += countValues(frame);
    objects += frame.objects.length;
    return values > mostValues || objects > mostObjects;
  });
  return frames.slice(tooOld + 1);
}

/** Counts as the gateway does: lists and objects are values, too. */
function countValues(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((count: number, each) => count + countValues(each), 1);
}
