import type { GatewayServices } from "../../operation/gateway-services.js";
import type { PersonalMailKind } from "../outbox/delivery-state.js";
import type { PersonalMailContent } from "../outbox/personal-mail-content.js";
import { invitationMail } from "./invitation-mail.js";
import type { MailMessage } from "./mail-layout.js";
import { signInMail } from "./sign-in-mail.js";

type MakeMessage = (
  content: PersonalMailContent,
  services: GatewayServices,
) => MailMessage | Promise<MailMessage>;

const messages: Record<PersonalMailKind, MakeMessage> = {
  INVITATION: invitationMail,
  SIGN_IN_LINK: signInMail,
};

/**
 * A mail to a single person. It is made when it is sent, so that its secrets are stored
 * nowhere.
 */
export const personalMail: MakeMessage = (content, services) =>
  messages[content.delivery.kind as PersonalMailKind](content, services);
