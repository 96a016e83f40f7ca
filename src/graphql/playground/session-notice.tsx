import { signInAddress } from "../../console/navigation/page-to-return-to.js";
import { useSession } from "../../console/session/session.js";
import { useTexts } from "./texts.js";

/** Says that nobody is signed in, and where to do so. */
export function SessionNotice() {
  const { status } = useSession();
  const texts = useTexts();
  const isOut = status === "signed out" || status === "expired";
  return (
    <p className="session-notice" role="status">
      {isOut && (
        <>
          {status === "expired" ? texts.expired : texts.signedOut}{" "}
          <a href={signInAddress("playground")}>{texts.signIn}</a>, {texts.orHeader}
        </>
      )}
    </p>
  );
}
