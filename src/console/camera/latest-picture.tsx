import type { CameraPageQuery } from "../../generated/console.js";
import { CameraPicture } from "../fleet/camera-picture.js";
import { useLanguage } from "../language/language.js";
import { useNow } from "../language/now.js";
import { useTexts } from "./texts.js";

type Camera = NonNullable<CameraPageQuery["camera"]>;

/** The latest picture of a camera, with its age: an old one never looks live. */
export function LatestPicture({ camera }: { camera: Camera }) {
  const { name, state, imageLink, thumbnailUrl, imageDimensions } = camera;
  const isWorking = state === "WORKING";
  return (
    <div
      className="latest-picture"
      data-live={isWorking}
      style={imageDimensions ? { aspectRatio: `${imageDimensions.width} / ${imageDimensions.height}` } : {}}
    >
      <CameraPicture name={name} links={[imageLink, thumbnailUrl]} />
      {imageLink && (
        <span className="picture-age">
          <PictureAge camera={camera} />
        </span>
      )}
    </div>
  );
}

function PictureAge({ camera: { state, pictureAt, streamType } }: { camera: Camera }) {
  const { formats } = useLanguage();
  const texts = useTexts();
  const now = useNow();
  if (pictureAt === null) return texts.pictureOfUnknownAge;
  const age = formats.relative(pictureAt, now);
  if (streamType === "CLIENT") return texts.uploadedPicture(age);
  return state === "WORKING" ? texts.pictureOf(age) : texts.oldPicture(age);
}
