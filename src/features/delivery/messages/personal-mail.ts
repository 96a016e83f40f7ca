import type { GatewayServices } from "../../../engine/operation/gateway-services.js";
import { languageOf } from "../../../platform/text/language.js";
import type { PersonalMailContent } from "../outbox/personal-mail-content.js";
import { digestMail } from "./digest-mail.js";
import { invitationMail } from "./invitation-mail.js";
import type { MailMessage } from "./mail-layout.js";
import { signInMail } from "./sign-in-mail.js";

/**
 * A mail to a single person, made when it is sent, so that its secrets are stored nowhere. Written in the language of
 * the user; to somebody who is invited, in that of the inviter, who may well share it.
 */
export function personalMail(
  content: PersonalMailContent,
  services: Pick<GatewayServices, "signInLinks" | "now">,
  publicUrl: string,
): MailMessage {
  const { workspace, locale } = content;
  const language = languageOf(locale);
  if (content.mail === "INVITATION") return invitationMail(content, services, language);
  if (content.mail === "SIGN_IN_LINK") return signInMail(content, services, language);
  const { digest, user } = content;
  return digestMail(digest, { workspaceName: workspace.name, userId: user.id, language, publicUrl });
}
