import { createTransport, type Transporter } from "nodemailer";
import { isLoopback } from "../../../engine/access/trustworthy-url.js";
import type { MailMessage } from "../messages/mail-layout.js";
import { failed, inParentheses, type SendOutcome } from "./channel.js";

export interface EmailChannelOptions {
  /** `smtp://` or `smtps://`, with percent-encoded credentials if the server needs them. */
  url: string;
  /** An address, or `Name <address>`. */
  from: string;
  /** The time limit for a step, such as connecting, in milliseconds. A whole mail may take three times as long. */
  timeoutMs?: number;
}

interface OutgoingMail {
  to: string;
  /** Stays the same when the mail is sent again, so that mailboxes recognize duplicates. */
  messageId: string;
  message: MailMessage;
  signal: AbortSignal;
}

const maxConnections = 4;
/** Close unused connections before servers do. */
const idleTimeoutMs = 30_000;

/** Asks for no vacation notices or other automatic answers. */
const automaticMail = { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" };

export class EmailChannel {
  readonly #transporter: Transporter;
  readonly #from: string;
  readonly #timeoutMs: number;

  constructor({ url, from, timeoutMs = 10_000 }: EmailChannelOptions) {
    this.#from = from;
    this.#timeoutMs = timeoutMs;
    this.#transporter = createTransport({
      ...serverOf(url),
      pool: true,
      maxConnections,
      // A mail moves to another connection only if the server has seen nothing of it, for example because it closed the
      // first one.
      maxRequeues: 2,
      idleTimeout: idleTimeoutMs,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      dnsTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      tls: { rejectUnauthorized: true },
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  async send({ to, messageId, message, signal }: OutgoingMail): Promise<SendOutcome> {
    const timeout = AbortSignal.timeout(3 * this.#timeoutMs);
    try {
      await this.#transporter.sendMail({
        from: this.#from,
        to: { name: "", address: to },
        subject: message.subject,
        text: message.text,
        html: message.html,
        attachments: message.attachments.map((attachment) => ({
          ...attachment,
          contentDisposition: "inline",
        })),
        messageId,
        references: `<${message.thread}@${messageId.replace(/^.*@|>$/g, "")}>`,
        headers: automaticMail,
        signal: AbortSignal.any([signal, timeout]),
      });
      return { kind: "sent" };
    } catch (error) {
      if (signal.aborted) return temporary("The gateway shut down before the mail server accepted the mail");
      return failureOf(error as SmtpError);
    }
  }

  /** Closes all connections, and aborts the mails in transit. */
  close(): void {
    this.#transporter.close({ force: true });
  }
}

function serverOf(url: string) {
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === "smtps:";
  const host = hostname.replace(/^\[|\]$/g, "");
  const auth =
    username === "" ? undefined : { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  return {
    host,
    port: Number(port) || (secure ? 465 : 587),
    secure,
    // Otherwise an attacker in between could suppress STARTTLS and read the credentials.
    requireTLS: auth !== undefined && !isLoopback(host),
    ...(auth && { auth }),
  };
}

interface SmtpError {
  code?: string;
  /** The code of the operating system or of TLS. */
  originalCode?: string;
  command?: string;
  responseCode?: number;
}

const temporary = (reason: string) => failed("always", reason);

/** Replies to any command that ask for credentials, or for better ones. */
const authenticationCodes = [530, 534, 535, 538];

/**
 * Decides on a retry by the code of the reply and the command. Never repeats the text of the reply, as it
 * may contain anything.
 */
function failureOf(error: SmtpError): SendOutcome {
  const { code, command, responseCode } = error;
  const reply = responseCode ? ` (${responseCode})` : "";
  if (code === "EAUTH" || code === "ENOAUTH" || authenticationCodes.includes(responseCode ?? 0))
    return temporary(`The mail server did not accept the gateway's credentials${reply}`);
  if (code === "EENVELOPE" && command === "API")
    return failed("never", "The recipient's address is not valid");
  if (!responseCode || code === "ETLS") return temporary(withoutReply(error));
  if (code === "EENVELOPE" || code === "EMESSAGE") return refusalOf(command, responseCode);
  return temporary(`The mail server is not ready${reply}`);
}

function withoutReply({ code, originalCode }: SmtpError): string {
  if (code === "ETLS" || /CERT|TLS|SSL/.test(originalCode ?? ""))
    return "The mail server offers no trusted TLS connection";
  if (code === "ETIMEDOUT" || code === "EABORT") return "The mail server did not answer in time";
  return `The mail server is unreachable${inParentheses(originalCode ?? code)}`;
}

function refusalOf(command: string | undefined, code: number): SendOutcome {
  const what = command === "RCPT TO" ? "recipient" : command === "MAIL FROM" ? "sender" : "mail";
  // 503 concerns the order of commands. Over another connection the mail may succeed.
  if (code < 500 || code === 503)
    return temporary(`The mail server does not accept the ${what} at present (${code})`);
  if (code === 552)
    return failed("few times", "The mail is larger than the mail server or the mailbox takes (552)");
  // The sender is a setting, so the operator can fix it.
  return failed(what === "sender" ? "always" : "few times", `The mail server refused the ${what} (${code})`);
}
