import { createTransport, type Transporter } from "nodemailer";
import { isLoopback } from "../../access/trustworthy-url.js";
import type { MailMessage } from "../messages/mail-layout.js";
import { inParentheses, type SendOutcome } from "./channel.js";

/** The mail server that takes the gateway's mails. */
export interface EmailChannelOptions {
  /** `smtp://` or `smtps://`, with percent-encoded credentials if it needs some. */
  url: string;
  /** An address, or `Name <address>`. */
  from: string;
  /**
   * How long a step, such as connecting, may take; a mail may take three times as long.
   */
  timeoutMs?: number;
}

/** A mail on its way to one recipient. */
export interface OutgoingMail {
  to: string;
  /** Stays the same when the mail is sent again, so that mailboxes recognize repeats. */
  messageId: string;
  message: MailMessage;
  signal: AbortSignal;
}

const maxConnections = 4;
/** Unused connections are closed before servers do it. */
const idleTimeoutMs = 30_000;

/** No vacation notice or other automatic answer is wanted. */
const automaticMail = { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" };

/** Sends mails by SMTP. */
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
      // Only mails of which the server has seen nothing are sent over another connection,
      // such as one that it closed meanwhile.
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

  /** Hands a mail to the server. */
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

  /** Ends all connections, and the mails on their way. */
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
    // Otherwise whoever sits between could suppress STARTTLS and read the credentials.
    requireTLS: auth !== undefined && !isLoopback(host),
    ...(auth && { auth }),
  };
}

/** What nodemailer tells about a failure. */
interface SmtpError {
  code?: string;
  /** The code of the operating system or of TLS. */
  originalCode?: string;
  /** The command that the server did not accept. */
  command?: string;
  responseCode?: number;
}

const temporary = (reason: string): SendOutcome => ({ kind: "failed", reason, retry: "always" });

/** Replies that ask for credentials, or for better ones, at whatever command. */
const authenticationCodes = [530, 534, 535, 538];

/**
 * Whether to try again is told by the reply's code and the command. The reply's text is
 * not repeated, as it may contain anything.
 */
function failureOf(error: SmtpError): SendOutcome {
  const { code, command, responseCode } = error;
  const reply = responseCode ? ` (${responseCode})` : "";
  if (code === "EAUTH" || code === "ENOAUTH" || authenticationCodes.includes(responseCode ?? 0))
    return temporary(`The mail server did not accept the gateway's credentials${reply}`);
  if (code === "EENVELOPE" && command === "API")
    return { kind: "failed", reason: "The recipient's address is not valid", retry: "never" };
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
  // 503 is about the order of the commands: over another connection the mail may go
  // through.
  if (code < 500 || code === 503)
    return temporary(`The mail server does not accept the ${what} at present (${code})`);
  if (code === 552)
    return {
      kind: "failed",
      reason: "The mail is larger than the mail server or the mailbox takes (552)",
      retry: "few times",
    };
  // The sender is a setting, which the operator mends.
  return {
    kind: "failed",
    reason: `The mail server refused the ${what} (${code})`,
    retry: what === "sender" ? "always" : "few times",
  };
}
