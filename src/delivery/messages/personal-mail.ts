import type { GatewayServices } from "../../operation/gateway-services.js";
import { type MailLanguage, mailLanguageOf } from "../../platform/mail-language.js";
import type { PersonalMailKind } from "../outbox/delivery-state.js";
import type { PersonalMailContent } from "../outbox/personal-mail-content.js";
import { digestMail } from "./digest-mail.js";
import { invitationMail } from "./invitation-mail.js";
import type { MailMessage } from "./mail-layout.js";
import { signInMail } from "./sign-in-mail.js";

interface MailOptions {
  services: GatewayServices;
  publicUrl: string;
}

type MakeMessage = (
  content: PersonalMailContent,
  options: MailOptions & { language: MailLanguage },
) => MailMessage | Promise<MailMessage>;

const messages: Record<PersonalMailKind, MakeMessage> = {
  INVITATION: invitationMail,
  SIGN_IN_LINK: signInMail,
  DIGEST: ({ digest, workspace, user }, { publicUrl, language }) => {
    if (!digest || !user) throw new Error("There is nothing to send");
    return digestMail(digest, { workspaceName: workspace.name, userId: user.id, language, publicUrl });
  },
};

/**
 * A mail to a single person. It is made when it is sent, so that its secrets are stored
 * nowhere. Written in the language of the user; to somebody who is invited, in that of
 * the inviter, who may well share it.
 */
export const personalMail = (content: PersonalMailContent, options: MailOptions) => {
  const { locale = null } = content.user ?? content.inviter ?? {};
  return messages[content.delivery.kind as PersonalMailKind](content, {
    ...options,
    language: mailLanguageOf(locale),
  });
};
