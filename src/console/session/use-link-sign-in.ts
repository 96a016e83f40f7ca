import { useState } from "react";
import { linkContent } from "./link-content.js";
import { forgetLink } from "./opened-link.js";
import { reasonOf, signIn } from "./session.js";
import { useTexts } from "./texts.js";

/**
 * Signing in by the code of a link: what the link says, whether the session is to be remembered, whether signing in is
 * under way, and why it failed.
 */
export function useLinkSignIn(code: string) {
  const texts = useTexts();
  const [isSigningIn, setSigningIn] = useState(false);
  const [isRemembered, setRemembered] = useState(false);
  const content = linkContent(code);
  const [failure, setFailure] = useState<string>();
  const signInByLink = async () => {
    setSigningIn(true);
    const { signInByCode, SessionRefusedError } = await import("./sign-in-link.js");
    try {
      const credentials = await signInByCode(code, isRemembered);
      forgetLink();
      signIn(credentials);
    } catch (error) {
      const isExpired = content && content.expiresAt <= Date.now();
      const refusal = isExpired ? texts.signIn.linkExpired : texts.signIn.linkRefused;
      if (!(error instanceof SessionRefusedError)) setFailure(texts.signIn.failed(reasonOf(error)));
      else setFailure(error.hasEnded ? texts.signIn.ended : refusal);
    }
    setSigningIn(false);
  };
  return {
    content,
    remembering: { isRemembered, onChange: setRemembered },
    isSigningIn,
    failure: content ? failure : texts.signIn.linkIncomplete,
    signInByLink: () => {
      if (!isSigningIn) void signInByLink();
    },
  };
}
