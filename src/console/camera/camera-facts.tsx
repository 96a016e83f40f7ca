import type { ShownCameraFragment } from "../../generated/console.js";
import { useLanguage } from "../language/language.js";
import { Moment } from "../language/moment.js";
import { StoredText } from "../language/stored-text.js";
import { useTexts } from "./texts.js";

/**
 * The host and port of a stream. Any other part of its URL may be a secret, and screens
 * are seen by others.
 */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : "");

/** Where a camera's pictures come from, their size, and when the camera was added. */
export function CameraFacts({ camera }: { camera: ShownCameraFragment }) {
  const { formats } = useLanguage();
  const texts = useTexts();
  const { url, streamProtocol, imageDimensions: size, createdAt, facility } = camera;
  return (
    <section className="insight-panel" aria-labelledby="camera-facts">
      <header>
        <h2 id="camera-facts">{texts.facts}</h2>
      </header>
      <dl className="facts">
        <div>
          <dt>{texts.url}</dt>
          <dd>
            {url === null ? (
              texts.uploads
            ) : (
              <>
                {streamProtocol && `${streamProtocol} · `}
                <StoredText>{hostOf(url)}</StoredText>
              </>
            )}
          </dd>
        </div>
        {size && (
          <div>
            <dt>{texts.size}</dt>
            <dd>
              {formats.number(size.width)} × {formats.number(size.height)}
            </dd>
          </div>
        )}
        <div>
          <dt>{texts.added}</dt>
          <dd>
            <Moment instant={createdAt} timeZone={facility.effectiveTimeZoneId} />
          </dd>
        </div>
      </dl>
    </section>
  );
}
