import { useMutation } from "urql";
import { ProbeStreamDocument, type ShownCameraFragment } from "../../generated/console.js";
import { isolated } from "../../platform/text/text-direction.js";
import { StateName } from "../fleet/camera-state.js";
import { startOfState, toneOf } from "../fleet/camera-states.js";
import { ActionButton } from "../form/edit-form.js";
import { Moment } from "../language/language.js";
import { useMay } from "../viewer/viewer.js";
import { FeedFailure } from "./feed-failure.js";
import { useTexts } from "./texts.js";

interface CameraConditionProps {
  camera: ShownCameraFragment;
  onRetried: () => void;
}

export function CameraCondition({ camera, onRetried }: CameraConditionProps) {
  const texts = useTexts();
  const { id, state, url, facility } = camera;
  const mayRetry = useMay("cameras:write", facility) && url !== null;
  const [, probe] = useMutation(ProbeStreamDocument);
  const retry = async () => {
    const outcome = await probe({ id });
    if (outcome.data) onRetried();
    return outcome;
  };
  const start = startOfState(camera);
  const zone = facility.effectiveTimeZoneId;
  return (
    <section className="insight-panel camera-condition" aria-label={texts.state} data-tone={toneOf(state)}>
      <p className="camera-state">
        <StateName camera={camera} />
      </p>
      <div className="camera-reason">
        <p>{reasonOf(camera, texts.reasons)}</p>
        <FeedError camera={camera} />
        {start !== undefined && state !== "WORKING" && (
          <p className="hint">
            {texts.since} <Moment instant={start} timeZone={zone} form="both" />
          </p>
        )}
      </div>
      {mayRetry && <ActionButton run={retry}>{texts.retry}</ActionButton>}
    </section>
  );
}

const reasonOf = (
  { state, streamType }: ShownCameraFragment,
  { uploaded, ...reasons }: ReturnType<typeof useTexts>["reasons"],
) => (state === "WORKING" && streamType === "CLIENT" ? uploaded : reasons[state]);

/** Why the stream cannot be opened, and since when: as the gateway found itself, or as the feed server last said. */
function FeedError({ camera }: { camera: ShownCameraFragment }) {
  const texts = useTexts();
  const { state, feedError, streamRequests, facility } = camera;
  if (feedError) {
    const zone = facility.effectiveTimeZoneId;
    return (
      <>
        <FeedFailure camera={camera} />
        <p className="hint">
          {texts.failingSince} <Moment instant={feedError.since} timeZone={zone} form="both" />
        </p>
      </>
    );
  }
  const message = streamRequests.nodes[0]?.errorMessage;
  if (state !== "NO_STREAM" || !message) return null;
  return <p className="hint">{texts.lastError(isolated(message))}</p>;
}
