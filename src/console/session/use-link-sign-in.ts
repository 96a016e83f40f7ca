import { useState } from "react";
import { useLanguage } from "../language/language.js";
import { forgetLink } from "./opened-link.js";
import { reasonOf, signIn } from "./session.js";

/** Signing in by the code of a link: whether it is under way, and why it failed. */
export function useLinkSignIn(code: string) {
  const { messages } = useLanguage();
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
      setFailure(isRefused ? messages.signIn.linkRefused : messages.signIn.failed(reasonOf(error)));
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
