import { signInLinkLifetimeMs } from "../../access/sign-in-links.js";
import type { Invitation } from "../../generated/prisma/client.js";
import type { GatewayServices } from "../../operation/gateway-services.js";
import type { MailLanguage } from "../../platform/mail-language.js";
import type { PersonalMailContent } from "../outbox/personal-mail-content.js";
import { layOut, type MailMessage } from "./mail-layout.js";
import { presentableText, shortenedName } from "./notification-words.js";

const maxNameInSubject = 60;

interface SignInWords {
  subject: (workspace: string) => string;
  heading: string;
  worksOnce: string;
  worksFor15Minutes: string;
  warning: string;
  signIn: string;
  footer: string;
}

const wordsOf: Record<MailLanguage, SignInWords> = {
  en: {
    subject: (workspace) => `Sign in to ${workspace}`,
    heading: "Your sign-in link",
    worksOnce: "It works once.",
    worksFor15Minutes: "It works once, for 15 minutes.",
    warning: "Do not pass it on: whoever opens it is signed in as you.",
    signIn: "Sign in",
    footer:
      "You get this mail because somebody asked for a sign-in link for your address. If that was not you, ignore this mail: nobody can sign in without it.",
  },
  de: {
    subject: (workspace) => `Anmelden bei ${workspace}`,
    heading: "Ihr Link zum Anmelden",
    worksOnce: "Er gilt einmal.",
    worksFor15Minutes: "Er gilt einmal, 15 Minuten lang.",
    warning: "Geben Sie ihn nicht weiter: Wer ihn öffnet, ist als Sie angemeldet.",
    signIn: "Anmelden",
    footer:
      "Sie bekommen diese E-Mail, weil jemand für Ihre Adresse um einen Link zum Anmelden gebeten hat. Wenn Sie das nicht waren, ignorieren Sie diese E-Mail: Ohne sie kann sich niemand anmelden.",
  },
};

/**
 * A mail with a link that signs in a user, or somebody who is invited. Its code is made
 * here, so it is stored nowhere, and lasts from when the mail is sent.
 */
export function signInMail(
  { delivery, workspace, user, invitation }: PersonalMailContent,
  {
    services: { signInLinks, now },
    language,
  }: { services: Pick<GatewayServices, "signInLinks" | "now">; language: MailLanguage },
): MailMessage {
  const words = wordsOf[language];
  const name = presentableText(workspace.name);
  const { workspaceId, id, email, firstName, lastName } = user ?? (invitation as Invitation);
  const person = presentableText([firstName, lastName].filter((each) => each !== null).join(" "));
  const url = invitation
    ? signInLinks.invitationUrl(invitation)
    : signInLinks.urlFor(
        { kind: "user", workspaceId, id, email },
        new Date(now().getTime() + signInLinkLifetimeMs),
      );
  const validity = invitation ? words.worksOnce : words.worksFor15Minutes;
  const layout = layOut({
    language,
    subject: words.subject(shortenedName(name, maxNameInSubject, "…")),
    preview: validity,
    notice: null,
    label: null,
    heading: words.heading,
    subheading: [name, person].filter((part) => part !== "").join(" · "),
    introduction: `${validity} ${words.warning}`,
    picture: null,
    facts: [],
    lists: [],
    links: [{ label: words.signIn, url }],
    footer: words.footer,
  });
  return { ...layout, attachments: [], thread: `sign-in.${delivery.id}` };
}
