import { useState } from "react";
import { withoutSecrets } from "../../../platform/network/url-secrets.js";
import { StoredText } from "../../language/language.js";
import { useTexts } from "./texts.js";

/** The URL of a stream without what may be a secret, which is shown on request: others may see the screen. */
export function StreamUrl({ url }: { url: string }) {
  const { cameras } = useTexts();
  const [isShown, setShown] = useState(false);
  const masked = withoutSecrets(url);
  return (
    <>
      <StoredText>{isShown ? url : masked}</StoredText>
      {masked !== url && (
        <>
          {" "}
          <button
            type="button"
            className="small-button"
            aria-pressed={isShown}
            onClick={() => setShown((was) => !was)}
          >
            {cameras.showSecrets}
          </button>
        </>
      )}
    </>
  );
}
