import type { Invitation } from "../../generated/prisma/client.js";
import type { GatewayServices } from "../../operation/gateway-services.js";
import type { PersonalMailContent } from "../outbox/personal-mail-content.js";
import { layOut, type MailMessage } from "./mail-layout.js";
import { localMoment, presentableText, shortenedName } from "./notification-words.js";

const maxNameInSubject = 60;

/** A mail to somebody who is invited to become a user of a workspace. */
export function invitationMail(
  { workspace, invitation }: PersonalMailContent,
  { signInLinks }: Pick<GatewayServices, "signInLinks">,
): MailMessage {
  const { id, expiresAt } = invitation as Invitation;
  const name = presentableText(workspace.name);
  const { date, time } = localMoment(expiresAt, "UTC");
  const until = `${date}, ${time} UTC`;
  const introduction = signInLinks.hasIssuer
    ? "Sign in with the address that got this mail, and you are a user of this workspace."
    : "Open the link, and you are a user of this workspace. The link works once. Do not pass it on: whoever opens it becomes the user.";
  const layout = layOut({
    subject: `Invitation to ${shortenedName(name, maxNameInSubject, "…")}`,
    preview: `Valid until ${until}.`,
    notice: null,
    label: null,
    heading: "You are invited",
    subheading: name,
    introduction,
    picture: null,
    facts: [{ name: "Valid until", value: until }],
    lists: [],
    links: [{ label: "Sign in", url: signInLinks.invitationUrl(invitation as Invitation) }],
    footer:
      "You get this mail because somebody who manages the users of the workspace invited your address. If you do not know the workspace, ignore this mail.",
  });
  return { ...layout, attachments: [], thread: `invitation.${id}` };
}
