import { useState } from "react";
import { forgetLink } from "./opened-link.js";
import { reasonOf, signIn } from "./session.js";
import { useTexts } from "./texts.js";

/** Signing in by the code of a link: whether it is under way, and why it failed. */
export function useLinkSignIn(code: string) {
  const texts = useTexts();
  const [isSigningIn, setSigningIn] = useState(false);
  const [failure, setFailure] = useState<string>();
  const signInByLink = async () => {
    setSigningIn(true);
    const { signInByCode, SessionRefusedError } = await import("./sign-in-link.js");
    try {
      const credentials = await signInByCode(code);
      forgetLink();
      signIn(credentials);
    } catch (error) {
      const isRefused = error instanceof SessionRefusedError;
      setFailure(isRefused ? texts.signIn.linkRefused : texts.signIn.failed(reasonOf(error)));
    }
    setSigningIn(false);
  };
  return {
    isSigningIn,
    failure,
    signInByLink: () => {
      if (!isSigningIn) void signInByLink();
    },
  };
}
