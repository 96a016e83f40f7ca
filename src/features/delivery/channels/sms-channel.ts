import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { limitBytes } from "../../../platform/files/receive-file.js";
import { retryAfterMs } from "../../../platform/network/retry-after.js";
import { memberIn } from "../../../platform/record.js";
import { codeOf, errorOf } from "../../../platform/thrown.js";
import { failed, inParentheses, type SendOutcome, temporaryStatuses } from "./channel.js";

export interface SmsChannelOptions {
  accountSid: string;
  authToken: string;
  /** A phone number, the name of a sender, or the SID of a messaging service. */
  from: string;
  /** The base URL of the API, without a trailing slash. */
  url: string;
  timeoutMs?: number;
}

interface OutgoingTextMessage {
  to: string;
  text: string;
  signal: AbortSignal;
}

const maxBodyBytes = 64 * 1024;
export class SmsChannel {
  readonly #options: SmsChannelOptions;

  constructor(options: SmsChannelOptions) {
    this.#options = options;
  }

  async send({ to, text: body, signal }: OutgoingTextMessage): Promise<SendOutcome> {
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
          body: new URLSearchParams({ To: to, ...sender, Body: body }),
          redirect: "manual",
          signal: AbortSignal.any([signal, timeout]),
        },
      );
      if (!response.ok) return await failureOf(response);
      // The service has accepted the message, even if reading the body fails.
      await response.body?.cancel().catch(() => undefined);
      return { kind: "sent" };
    } catch (error) {
      if (signal.aborted)
        return failed("always", "The gateway shut down before the text message service answered");
      if (timeout.aborted) return failed("always", "The text message service did not answer in time");
      return failed(
        "always",
        `The text message service is unreachable${inParentheses(codeOf(errorOf(error).cause) || undefined)}`,
      );
    }
  }
}

async function failureOf(response: Response): Promise<SendOutcome> {
  const { status, headers } = response;
  const code = await errorCodeIn(response);
  const answer = code === undefined ? String(status) : `${status}, Twilio's error ${code}`;
  if (status === 401 || status === 403)
    return failed("always", `The text message service did not accept the gateway's credentials (${answer})`);
  if (status >= 400 && status < 500 && !temporaryStatuses.includes(status))
    return failed("few times", `The text message service refused the message (${answer})`);
  const reason = `The text message service did not take the message at present (${answer})`;
  return failed("always", reason, retryAfterMs(headers, new Date()));
}

/** Twilio's error code. Twilio's documentation explains each. */
async function errorCodeIn(response: Response): Promise<number | undefined> {
  try {
    const code = memberIn(JSON.parse(await boundedBody(response)), "code");
    return typeof code === "number" && Number.isSafeInteger(code) ? code : undefined;
  } catch {
    return undefined;
  }
}

/** The body. Fails if it is too long. */
const boundedBody = async ({ body }: Response): Promise<string> =>
  body ? pipeline(body, limitBytes(maxBodyBytes, "The answer"), text) : "";
