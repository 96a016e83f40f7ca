import { signInLinkLifetimeMs } from "../../../engine/access/sign-in-links.js";
import type { GatewayServices } from "../../../engine/operation/gateway-services.js";
import type { LanguageCode } from "../../../platform/text/language.js";
import { later } from "../../../platform/time.js";
import type { PersonalMailContent } from "../outbox/personal-mail-content.js";
import { layOut, type MailMessage } from "./mail-layout.js";
import { nameInSubject, presentableText } from "./notification-words.js";

const english = {
  subject: (workspace: string) => `Sign in to ${workspace}`,
  heading: "Your sign-in link",
  worksOnce: "It works once.",
  worksFor15Minutes: "It works once, for 15 minutes.",
  warning: "Do not pass it on: whoever opens it is signed in as you.",
  signIn: "Sign in",
  footer:
    "You get this mail because somebody asked for a sign-in link for your address. If that was not you, ignore this mail: nobody can sign in without it.",
};

const german: typeof english = {
  subject: (workspace) => `Anmelden bei ${workspace}`,
  heading: "Ihr Link zum Anmelden",
  worksOnce: "Er gilt einmal.",
  worksFor15Minutes: "Er gilt einmal, 15 Minuten lang.",
  warning: "Geben Sie ihn nicht weiter: Wer ihn öffnet, ist als Sie angemeldet.",
  signIn: "Anmelden",
  footer:
    "Sie bekommen diese E-Mail, weil jemand für Ihre Adresse um einen Link zum Anmelden gebeten hat. Wenn Sie das nicht waren, ignorieren Sie diese E-Mail: Ohne sie kann sich niemand anmelden.",
};

const wordsOf: Record<LanguageCode, typeof english> = { en: english, de: german };

/** A mail with a link that signs in a user, or somebody invited. Its code is made here: it is stored nowhere. */
export function signInMail(
  content: Extract<PersonalMailContent, { mail: "SIGN_IN_LINK" }>,
  { signInLinks, now }: Pick<GatewayServices, "signInLinks" | "now">,
  language: LanguageCode,
): MailMessage {
  const { delivery, workspace, user } = content;
  const words = wordsOf[language];
  const name = presentableText(workspace.name);
  const { workspaceId, id, email, firstName, lastName } = user ?? content.invitation;
  const person = presentableText([firstName, lastName].filter((each) => each !== null).join(" "));
  const url = user
    ? signInLinks.urlFor(
        { kind: "user", workspaceId, id, email },
        later(now(), signInLinkLifetimeMs),
        delivery.path,
      )
    : signInLinks.invitationUrl(
        content.invitation,
        { workspaceName: workspace.name, inviterName: content.inviterName },
        delivery.path,
      );
  const validity = user ? words.worksFor15Minutes : words.worksOnce;
  return layOut(
    {
      language,
      subject: words.subject(nameInSubject(name)),
      preview: validity,
      heading: words.heading,
      subheading: [name, person].filter((part) => part !== "").join(" · "),
      introduction: `${validity} ${words.warning}`,
      links: [{ label: words.signIn, url }],
      footer: words.footer,
    },
    `sign-in.${delivery.id}`,
  );
}
