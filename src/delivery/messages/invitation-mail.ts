import type { Invitation } from "../../generated/prisma/client.js";
import type { GatewayServices } from "../../operation/gateway-services.js";
import type { MailLanguage } from "../../platform/mail-language.js";
import type { PersonalMailContent } from "../outbox/personal-mail-content.js";
import { layOut, type MailMessage } from "./mail-layout.js";
import { localMoment, presentableText, shortenedName } from "./notification-words.js";

const maxNameInSubject = 60;

interface InvitationWords {
  subject: (workspace: string) => string;
  heading: string;
  withIssuer: string;
  withLink: string;
  validUntil: string;
  signIn: string;
  footer: string;
}

const wordsOf: Record<MailLanguage, InvitationWords> = {
  en: {
    subject: (workspace) => `Invitation to ${workspace}`,
    heading: "You are invited",
    withIssuer: "Sign in with the address that got this mail, and you are a user of this workspace.",
    withLink:
      "Open the link, and you are a user of this workspace. The link works once. Do not pass it on: whoever opens it becomes the user.",
    validUntil: "Valid until",
    signIn: "Sign in",
    footer:
      "You get this mail because somebody who manages the users of the workspace invited your address. If you do not know the workspace, ignore this mail.",
  },
  de: {
    subject: (workspace) => `Einladung zu ${workspace}`,
    heading: "Sie sind eingeladen",
    withIssuer:
      "Melden Sie sich mit der Adresse an, an die diese E-Mail ging, und Sie haben Zugang zu diesem Arbeitsbereich.",
    withLink:
      "Öffnen Sie den Link, und Sie haben Zugang zu diesem Arbeitsbereich. Der Link gilt einmal. Geben Sie ihn nicht weiter: Wer ihn öffnet, bekommt Ihren Zugang.",
    validUntil: "Gültig bis",
    signIn: "Anmelden",
    footer:
      "Sie bekommen diese E-Mail, weil jemand, der die Benutzer des Arbeitsbereichs verwaltet, Ihre Adresse eingeladen hat. Wenn Sie den Arbeitsbereich nicht kennen, ignorieren Sie diese E-Mail.",
  },
};

/** A mail to somebody who is invited to become a user of a workspace. */
export function invitationMail(
  { workspace, invitation }: PersonalMailContent,
  { services, language }: { services: Pick<GatewayServices, "signInLinks">; language: MailLanguage },
): MailMessage {
  const { signInLinks } = services;
  const { id, expiresAt } = invitation as Invitation;
  const words = wordsOf[language];
  const name = presentableText(workspace.name);
  const { date, time } = localMoment(expiresAt, "UTC", language);
  const until = `${date}, ${time} UTC`;
  const layout = layOut({
    language,
    subject: words.subject(shortenedName(name, maxNameInSubject, "…")),
    preview: `${words.validUntil} ${until}.`,
    notice: null,
    label: null,
    heading: words.heading,
    subheading: name,
    introduction: signInLinks.hasIssuer ? words.withIssuer : words.withLink,
    picture: null,
    facts: [{ name: words.validUntil, value: until }],
    lists: [],
    links: [{ label: words.signIn, url: signInLinks.invitationUrl(invitation as Invitation) }],
    footer: words.footer,
  });
  return { ...layout, attachments: [], thread: `invitation.${id}` };
}
