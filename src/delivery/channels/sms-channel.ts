import { retryAfterMs } from "../../platform/retry-after.js";
import { inParentheses, type SendOutcome } from "./channel.js";
import { temporaryStatuses } from "./temporary-status.js";

/** The account at Twilio, or at a server that speaks Twilio's API. */
export interface SmsChannelOptions {
  accountSid: string;
  authToken: string;
  /** A phone number, the name of a sender, or the SID of a messaging service. */
  from: string;
  /** The base URL of the API, without a trailing slash. */
  url: string;
  timeoutMs?: number;
}

/** A text message to one phone number. */
export interface OutgoingTextMessage {
  to: string;
  text: string;
  signal: AbortSignal;
}

const maxBodyBytes = 64 * 1024;
/**
 * Statuses that say nothing about the message: the server is busy, or the account or the
 * URL is wrong.
 */
const passingStatuses = [401, 403, ...temporaryStatuses];

/** Sends text messages by Twilio's Messages API. */
export class SmsChannel {
  readonly #options: SmsChannelOptions;

  constructor(options: SmsChannelOptions) {
    this.#options = options;
  }

  /** Hands a text message to the service. */
  async send({ to, text, signal }: OutgoingTextMessage): Promise<SendOutcome> {
    const { accountSid, authToken, from, url, timeoutMs = 10_000 } = this.#options;
    const timeout = AbortSignal.timeout(timeoutMs);
    const sender: Record<string, string> = /^MG[0-9a-f]{32}$/.test(from)
      ? { MessagingServiceSid: from }
      : { From: from };
    try {
      const response = await fetch(
        `${url}/2010-04-01/Accounts/${encodeURIComponent(accountSid)}/Messages.json`,
        {
          method: "POST",
          headers: {
            authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString("base64")}`,
            accept: "application/json",
          },
          body: new URLSearchParams({ To: to, ...sender, Body: text }),
          redirect: "manual",
          signal: AbortSignal.any([signal, timeout]),
        },
      );
      if (!response.ok) return await failureOf(response);
      // The service has accepted the message, even if reading the body fails.
      await response.body?.cancel().catch(() => undefined);
      return { kind: "sent" };
    } catch (error) {
      return {
        kind: "failed",
        reason: interruption(error, { isShutdown: signal.aborted, isTimeout: timeout.aborted }),
        retry: "always",
      };
    }
  }
}

function interruption(
  error: unknown,
  { isShutdown, isTimeout }: { isShutdown: boolean; isTimeout: boolean },
): string {
  if (isShutdown) return "The gateway shut down before the text message service answered";
  if (isTimeout) return "The text message service did not answer in time";
  return `The text message service is unreachable${inParentheses((error as { cause?: { code?: unknown } }).cause?.code)}`;
}

async function failureOf(response: Response): Promise<SendOutcome> {
  const { status, headers } = response;
  const code = await errorCodeIn(response);
  const answer = code === undefined ? String(status) : `${status}, Twilio's error ${code}`;
  if (status === 401 || status === 403)
    return {
      kind: "failed",
      reason: `The text message service did not accept the gateway's credentials (${answer})`,
      retry: "always",
    };
  if (status >= 400 && status < 500 && !passingStatuses.includes(status))
    return {
      kind: "failed",
      reason: `The text message service refused the message (${answer})`,
      retry: "few times",
    };
  const delay = retryAfterMs(headers, new Date());
  return {
    kind: "failed",
    reason: `The text message service did not take the message at present (${answer})`,
    retry: "always",
    ...(delay !== undefined && { retryAfterMs: delay }),
  };
}

/** Twilio's error code. Twilio's documentation explains each. */
async function errorCodeIn(response: Response): Promise<number | undefined> {
  try {
    const { code } = JSON.parse(await boundedBody(response)) as { code?: unknown };
    return Number.isSafeInteger(code) ? (code as number) : undefined;
  } catch {
    return undefined;
  }
}

/** The body, or an empty text if the body is too long. */
async function boundedBody({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (let part = await reader?.read(); part?.value; part = await reader?.read()) {
    length += part.value.length;
    if (length > maxBodyBytes) {
      await reader?.cancel();
      return "";
    }
    chunks.push(part.value);
  }
  return Buffer.concat(chunks).toString();
}
