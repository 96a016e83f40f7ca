import { signInLinkLifetimeMs } from "../../access/sign-in-links.js";
import type { Invitation } from "../../generated/prisma/client.js";
import type { GatewayServices } from "../../operation/gateway-services.js";
import type { PersonalMailContent } from "../outbox/personal-mail-content.js";
import { layOut, type MailMessage } from "./mail-layout.js";
import { presentableText, shortenedName } from "./notification-words.js";

const maxNameInSubject = 60;

/**
 * A mail with a link that signs in a user, or somebody who is invited. Its code is made
 * here, so it is stored nowhere, and lasts from when the mail is sent.
 */
export function signInMail(
  { delivery, workspace, user, invitation }: PersonalMailContent,
  { signInLinks, now }: Pick<GatewayServices, "signInLinks" | "now">,
): MailMessage {
  const name = presentableText(workspace.name);
  const { workspaceId, id, email, firstName, lastName } = user ?? (invitation as Invitation);
  const person = presentableText([firstName, lastName].filter((each) => each !== null).join(" "));
  const url = invitation
    ? signInLinks.invitationUrl(invitation)
    : signInLinks.urlFor(
        { kind: "user", workspaceId, id, email },
        new Date(now().getTime() + signInLinkLifetimeMs),
      );
  const validity = invitation ? "It works once." : "It works once, for 15 minutes.";
  const layout = layOut({
    subject: `Sign in to ${shortenedName(name, maxNameInSubject, "…")}`,
    preview: validity,
    notice: null,
    label: null,
    heading: "Your sign-in link",
    subheading: [name, person].filter((part) => part !== "").join(" · "),
    introduction: `${validity} Do not pass it on: whoever opens it is signed in as you.`,
    picture: null,
    facts: [],
    lists: [],
    links: [{ label: "Sign in", url }],
    footer:
      "You get this mail because somebody asked for a sign-in link for your address. If that was not you, ignore this mail: nobody can sign in without it.",
  });
  return { ...layout, attachments: [], thread: `sign-in.${delivery.id}` };
}
