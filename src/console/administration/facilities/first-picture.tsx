import { useEffect, useState } from "react";
import { useQuery } from "urql";
import { type AdministeredCameraFragment, CameraArrivalDocument } from "../../../generated/console.js";
import { isolated } from "../../../platform/text/text-direction.js";
import { FeedFailure } from "../../camera/feed-failure.js";
import { serverTime } from "../../data/server-time.js";
import { CameraPicture } from "../../fleet/camera-picture.js";
import { useMessages } from "../../language/language.js";
import { Link } from "../../navigation/location.js";
import { Dialog } from "../../shell/dialog.js";
import { streamLogin } from "./stream-login.js";
import { useTexts } from "./texts.js";

/** The time between two looks for the picture, in milliseconds, and the time after which it takes long. */
const pollInterval = 1_500;
const usualWait = 30_000;

interface FirstPictureProps {
  camera: { id: string; name: string };
  /** Whether the next thing to do is to add the first rule. */
  isFirst: boolean;
  /** Opens the form again. */
  onChange: (camera: AdministeredCameraFragment) => void;
  onClose: () => void;
}

/** Waits for the first picture of a stream that was saved just now, and says what is happening. */
export function FirstPicture({ camera: { id, name }, isFirst, onChange, onClose }: FirstPictureProps) {
  const { common } = useMessages();
  const { firstPicture } = useTexts();
  const [start] = useState(serverTime);
  const [{ data }, readAgain] = useQuery({
    query: CameraArrivalDocument,
    variables: { id },
    requestPolicy: "network-only",
  });
  const camera = data?.camera;
  const hasPicture = Date.parse(camera?.pictureAt ?? "") >= start;
  const state = hasPicture ? "arrived" : camera?.feedError ? "failed" : "waiting";
  useEffect(() => {
    if (hasPicture) return;
    const timer = setInterval(() => readAgain({ requestPolicy: "network-only" }), pollInterval);
    return () => clearInterval(timer);
  }, [hasPicture, readAgain]);
  const host = streamLogin(camera?.url ?? "").address.replace(/^\w+:\/\/([^/?#]*).*$/s, "$1");
  const isLate = state === "waiting" && serverTime() - start > usualWait;
  return (
    <Dialog title={firstPicture.title(isolated(name))} onClose={onClose}>
      <div className="edit-form">
        <p role="status">
          {state === "waiting" ? firstPicture.waiting(isolated(host)) : firstPicture[state]}{" "}
          {isLate && firstPicture.late}
        </p>
        {camera && state === "failed" && <FeedFailure camera={camera} />}
        {camera && state === "arrived" && (
          <div className="first-picture">
            <CameraPicture name={name} links={[camera.imageLink, camera.thumbnailUrl]} />
          </div>
        )}
        {state === "waiting" && <progress aria-label={firstPicture.title(isolated(name))} />}
        <div className="form-actions">
          {camera && state === "failed" && (
            <button type="button" className="primary" onClick={() => onChange(camera)}>
              {firstPicture.change}
            </button>
          )}
          {isFirst && state === "arrived" && (
            <Link className="button primary" to={{ view: "rules", camera: id, rule: "first" }}>
              {firstPicture.rule}
            </Link>
          )}
          <button
            type="button"
            className={!isFirst && state === "arrived" ? "primary" : ""}
            // Closed rather than removed, the dialog returns the focus to what opened the form.
            onClick={({ currentTarget }) => currentTarget.closest("dialog")?.close()}
          >
            {common.close}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
