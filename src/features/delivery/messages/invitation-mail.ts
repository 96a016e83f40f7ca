import type { GatewayServices } from "../../../engine/operation/gateway-services.js";
import type { LanguageCode } from "../../../platform/text/language.js";
import type { PersonalMailContent } from "../outbox/personal-mail-content.js";
import { layOut, type MailMessage } from "./mail-layout.js";
import { localMoment, nameInSubject, presentableText } from "./notification-words.js";

const english = {
  subject: (workspace: string) => `Invitation to ${workspace}`,
  heading: "You are invited",
  withIssuer: "Sign in with the address that got this mail, and you are a user of this workspace.",
  withLink:
    "Open the link, and you are a user of this workspace. The link works once. Do not pass it on: whoever opens it becomes the user.",
  invitedBy: "Invited by",
  validUntil: "Valid until",
  signIn: "Sign in",
  footer:
    "You get this mail because somebody who manages the users of the workspace invited your address. If you do not know the workspace, ignore this mail.",
};

const german: typeof english = {
  subject: (workspace) => `Einladung zu ${workspace}`,
  heading: "Sie sind eingeladen",
  withIssuer:
    "Melden Sie sich mit der Adresse an, an die diese E-Mail ging, und Sie haben Zugang zu diesem Arbeitsbereich.",
  withLink:
    "Öffnen Sie den Link, und Sie haben Zugang zu diesem Arbeitsbereich. Der Link gilt einmal. Geben Sie ihn nicht weiter: Wer ihn öffnet, bekommt Ihren Zugang.",
  invitedBy: "Eingeladen von",
  validUntil: "Gültig bis",
  signIn: "Anmelden",
  footer:
    "Sie bekommen diese E-Mail, weil jemand, der die Benutzer des Arbeitsbereichs verwaltet, Ihre Adresse eingeladen hat. Wenn Sie den Arbeitsbereich nicht kennen, ignorieren Sie diese E-Mail.",
};

const wordsOf: Record<LanguageCode, typeof english> = { en: english, de: german };

export function invitationMail(
  { workspace, invitation, inviterName }: Extract<PersonalMailContent, { mail: "INVITATION" }>,
  { signInLinks }: Pick<GatewayServices, "signInLinks">,
  language: LanguageCode,
): MailMessage {
  const words = wordsOf[language];
  const name = presentableText(workspace.name);
  const { date, time } = localMoment(invitation.expiresAt, "UTC", language);
  const until = `${date}, ${time} UTC`;
  const url = signInLinks.invitationUrl(invitation, { workspaceName: workspace.name, inviterName });
  return layOut(
    {
      language,
      subject: words.subject(nameInSubject(name)),
      preview: `${words.validUntil} ${until}.`,
      heading: words.heading,
      subheading: name,
      introduction: signInLinks.hasIssuer ? words.withIssuer : words.withLink,
      facts: [
        ...(inviterName ? [{ name: words.invitedBy, value: presentableText(inviterName) }] : []),
        { name: words.validUntil, value: until },
      ],
      links: [{ label: words.signIn, url }],
      footer: words.footer,
    },
    `invitation.${invitation.id}`,
  );
}
