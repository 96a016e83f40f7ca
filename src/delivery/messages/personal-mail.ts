import type { GatewayServices } from "../../operation/gateway-services.js";
import type { PersonalMailKind } from "../outbox/delivery-state.js";
import type { PersonalMailContent } from "../outbox/personal-mail-content.js";
import { digestMail } from "./digest-mail.js";
import { invitationMail } from "./invitation-mail.js";
import type { MailMessage } from "./mail-layout.js";
import { signInMail } from "./sign-in-mail.js";

type MakeMessage = (
  content: PersonalMailContent,
  services: GatewayServices,
  publicUrl: string,
) => MailMessage | Promise<MailMessage>;

const messages: Record<PersonalMailKind, MakeMessage> = {
  INVITATION: invitationMail,
  SIGN_IN_LINK: signInMail,
  DIGEST: ({ digest, workspace, user }, _services, publicUrl) => {
    if (!digest || !user) throw new Error("There is nothing to send");
    const language = user.locale?.toLowerCase().startsWith("de") ? "de" : "en";
    return digestMail(digest, { workspaceName: workspace.name, userId: user.id, language, publicUrl });
  },
};

/**
 * A mail to a single person. It is made when it is sent, so that its secrets are stored
 * nowhere.
 */
export const personalMail: MakeMessage = (content, services, publicUrl) =>
  messages[content.delivery.kind as PersonalMailKind](content, services, publicUrl);
