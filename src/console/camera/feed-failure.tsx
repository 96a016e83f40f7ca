import type { FeedFailureFragment } from "../../generated/console.js";
import { isolated } from "../../platform/text/text-direction.js";
import { likelyNetwork } from "../administration/facilities/stream-login.js";
import { CopyableText } from "../shell/copyable-text.js";
import { useTexts } from "./texts.js";

/** Why a camera's stream cannot be opened. Of a refused address, the setting that allows its network. */
export function FeedFailure({ camera: { feedError, url } }: { camera: FeedFailureFragment }) {
  const texts = useTexts();
  if (!feedError) return null;
  const network = likelyNetwork(url ?? "");
  return (
    <div className="feed-failure">
      <p className="feed-error">{texts.feedErrors[feedError.code] ?? isolated(feedError.message)}</p>
      {feedError.code === "ADDRESS_NOT_ALLOWED" && (
        <>
          <p className="hint">{texts.allowNetwork(network !== undefined)}</p>
          <CopyableText
            label={texts.setting}
            text={`CAMERA_ALLOWED_NETWORKS=${network ?? "192.168.10.0/24"}`}
          />
        </>
      )}
    </div>
  );
}
