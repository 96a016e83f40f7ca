import { withText } from "../../platform/text/plural.js";
export const english = {
  signIn: {
    title: "Sign in",
    lead: "See your facilities, cameras and alerts, live.",
    withDemo: "Continue with the demo",
    withProvider: "Sign in",
    providerHint: withText("You will be sent to #."),
    otherwise: "Sign in another way",
    credential: "Token or API key",
    byLink: "Sign in with the link",
    byLinkAs: withText("Sign in as #"),
    remember: "Stay signed in on this device for 30 days",
    invited: (workspace: string, inviter: string | undefined) =>
      inviter ? `${inviter} invites you to ${workspace}.` : `You are invited to ${workspace}.`,
    email: "Email address",
    mailLink: "Send me a link",
    linkMailed:
      "If somebody has access with this address, a link is on its way to it. It works once, for 15 minutes.",
    noAddress: "Enter an email address.",
    linkRefused:
      "This link has been used, or a newer one replaces it. Ask whoever invited you for another one.",
    ended: "Your access has ended. Ask whoever manages the users to prolong it.",
    linkExpired: "This link has expired. Ask whoever invited you for another one.",
    linkIncomplete: "This link is incomplete. Copy all of it, or open it in the mail itself.",
    credentialSource:
      "An administrator creates keys and invites people; the operator prints tokens with npm run token, links with npm run sign-in.",
    credentialHint:
      "It stays in the tabs of this browser until the last one is closed, and is sent to this gateway alone.",
    submit: "Continue",
    missing: "Enter a token or an API key.",
    refused: "The gateway does not accept it: it may be mistyped or revoked.",
    expired: "It has expired. Get a new one.",
    failed: withText("Signing in failed: #"),
    nothingKept:
      "This browser keeps nothing for this page, as when cookies are blocked, so you could not return from there. Allow it, or enter a token.",
    progress: "Signing in …",
  },
  linkQuestion: {
    title: "Sign in with the link?",
    text: withText(
      "You are signed in as #. The link may be somebody else's: it signs in this person instead, in all tabs of this browser.",
    ),
    stay: "Stay signed in",
  },
  expired: {
    title: "Your session has ended",
    text: "The gateway no longer accepts the token or key: it has expired, or access was withdrawn. Sign in again to go on where you were.",
  },
};

export type SessionTexts = typeof english;
