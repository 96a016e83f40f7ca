import addressparser from "nodemailer/lib/addressparser";
import { z } from "zod";
import {
  baseUrl,
  integer,
  networks,
  textWithout,
  urlIssue,
  visibleText,
} from "../../platform/input/setting-rules.js";
import { emailAddress } from "../../platform/input/text-rules.js";
import { setting } from "./setting.js";

/** Options of the mail client cannot be given in the URL, such as one that accepts any certificate. */
const mailServerUrl = textWithout((text) => {
  const issue = urlIssue(text, { schemes: ["smtp", "smtps"], credentials: true });
  if (issue !== undefined) return issue;
  const { username, password } = new URL(text);
  return (username === "") === (password === "")
    ? undefined
    : "must contain a user and a password, or neither";
});

/** An international phone number or a short code, the SID of a messaging service, or an alphanumeric sender. */
const twilioSender = /^(?:\+?[0-9]{3,15}|MG[0-9a-f]{32}|(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11})$/;

function isSender(text: string): boolean {
  const [sender, ...others] = addressparser(text);
  return (
    sender !== undefined &&
    "address" in sender &&
    others.length === 0 &&
    !/[\r\n]/.test(text) &&
    emailAddress.safeParse(sender.address).success
  );
}

export const notifications = {
  WEBHOOK_ALLOWED_NETWORKS: setting(
    {
      example: "10.0.0.0/8,fd00::/8",
      unset: "none",
      description:
        "Networks to which webhooks may lead besides public addresses, separated by commas. Names are resolved by DNS alone.",
    },
    networks,
  ),
  MAX_MESSAGES_PER_DAY: setting(
    {
      example: "200",
      description:
        "Mails and text messages of a workspace per day (UTC). The rest is parked. Mails with sign-in links count only for who has never signed in by the address; beyond the limit, they are not sent.",
    },
    integer(0, 1_000_000_000).default(1000),
  ),
  SMTP_URL: setting(
    {
      example: "smtp://user:p%40ssword@mail.example:587",
      unset: "none",
      description:
        "The server that takes mails, `smtp://` or `smtps://`. Its certificate must be valid (`NODE_EXTRA_CA_CERTS` names a CA of your own). Credentials go over TLS only, except to loopback.",
    },
    mailServerUrl,
  ),
  MAIL_FROM: setting(
    {
      example: "Alerts <alerts@site.example>",
      unset: "none",
      description: "The sender of mails; required with `SMTP_URL`.",
    },
    z.string().refine(isSender, "must be an email address, or Name <address>"),
  ),
  TWILIO_ACCOUNT_SID: setting(
    {
      example: "AC0123456789abcdef0123456789abcdef",
      unset: "none",
      description: "The Twilio account that sends text messages.",
    },
    z.string().regex(/^[A-Za-z0-9]+$/, "must consist of letters and digits"),
  ),
  TWILIO_AUTH_TOKEN: setting(
    {
      example: "0123456789abcdef0123456789abcdef",
      unset: "none",
      description: "The token of the account; required with `TWILIO_ACCOUNT_SID`.",
    },
    visibleText,
  ),
  TWILIO_FROM: setting(
    {
      example: "+12025550123",
      unset: "none",
      description:
        "The sender: a phone number, a name or the SID of a messaging service; required with `TWILIO_ACCOUNT_SID`.",
    },
    z
      .string()
      .regex(twilioSender, "must be a phone number, a sender's name or the SID of a messaging service"),
  ),
  TWILIO_URL: setting(
    {
      example: "https://sms.example",
      description: "Another server with the same API.",
    },
    baseUrl.default("https://api.twilio.com"),
  ),
};
