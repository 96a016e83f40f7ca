import { createHmac } from "node:crypto";
import type { OutgoingHttpHeaders } from "node:http";
import { urlToHttpOptions } from "node:url";
import { defined } from "../../../platform/defined.js";
import { GuardedHttp } from "../../../platform/network/guarded-http.js";
import { responseTo } from "../../../platform/network/http-response.js";
import { AddressNotAllowed, type NetworkAddresses } from "../../../platform/network/network-addresses.js";
import { retryAfterMs } from "../../../platform/network/retry-after.js";
import type { TraceHeaders } from "../../../platform/telemetry/tracing.js";
import { codeOf, errorOf } from "../../../platform/thrown.js";
import { signingKey } from "../../alert-rule/webhook-secret.js";
import { failed, inParentheses, type SendOutcome, temporaryStatuses } from "./channel.js";

const maxResponseBytes = 64 * 1024;

interface WebhookMessage {
  /** The same for every attempt. */
  id: string;
  url: string;
  /** The key of the signature; null for no signature. */
  secret: string | null;
  body: string;
  /** Headers that let the receiver continue the trace; absent without a trace. */
  traceHeaders?: TraceHeaders;
}

interface WebhookOptions {
  addresses: NetworkAddresses;
  now: () => Date;
  /** The time limit for an answer of the target, in milliseconds. */
  timeoutMs?: number;
}

/**
 * Posts messages to webhooks, with signatures according to Standard Webhooks
 * (https://www.standardwebhooks.com).
 */
export class WebhookChannel {
  readonly #http: GuardedHttp;
  readonly #now: () => Date;
  readonly #timeoutMs: number;

  constructor({ addresses, now, timeoutMs = 10_000 }: WebhookOptions) {
    this.#http = new GuardedHttp(addresses, { keepAlive: true, maxFreeSockets: 32, timeout: 30_000 });
    this.#now = now;
    this.#timeoutMs = timeoutMs;
  }

  close(): void {
    this.#http.close();
  }

  /** Posts a message. Statuses from 200 to 299 mean success. Follows no redirects, and discards the response's body. */
  async send(message: WebhookMessage, signal: AbortSignal): Promise<SendOutcome> {
    const key = message.secret === null ? null : signingKey(message.secret);
    if (key === undefined)
      return failed("never", "The rule's secret is no Base64 after whsec_: set another one");
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    try {
      const request = this.#http.request({
        ...urlToHttpOptions(new URL(message.url)),
        method: "POST",
        headers: this.#headers(message, key),
        signal: AbortSignal.any([signal, timeout]),
      });
      const response = await responseTo(request, message.body);
      let received = 0;
      // Read the body, so that the connection can be used again, but only up to a limit.
      response.on("data", (chunk: Buffer) => {
        received += chunk.length;
        if (received > maxResponseBytes) response.destroy();
      });
      const asked = new Headers({ "retry-after": response.headers["retry-after"] ?? "" });
      return outcomeOf(defined(response.statusCode), retryAfterMs(asked, this.#now()));
    } catch (error) {
      if (error instanceof AddressNotAllowed)
        return failed("few times", "The webhook's address is not public");
      if (timeout.aborted)
        return failed("always", `The webhook did not respond within ${this.#timeoutMs} ms`);
      return failed(
        "always",
        `The webhook is unreachable${inParentheses(codeOf(error) || errorOf(error).name)}`,
      );
    }
  }

  #headers({ id, body, traceHeaders }: WebhookMessage, key: Buffer | null): OutgoingHttpHeaders {
    const timestamp = String(Math.floor(this.#now().getTime() / 1000));
    return {
      ...traceHeaders,
      "content-type": "application/json",
      "user-agent": "camera-monitoring-gateway",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      ...(key && { "webhook-signature": signature(key, `${id}.${timestamp}.${body}`) }),
    };
  }
}

const signature = (key: Buffer, content: string) =>
  `v1,${createHmac("sha256", key).update(content).digest("base64")}`;

function outcomeOf(status: number, retryAfter: number | undefined): SendOutcome {
  if (status >= 200 && status < 300) return { kind: "sent" };
  const reason = `The webhook responded with status ${status}`;
  if (status === 410) return failed("never", reason);
  const isPassing = status >= 500 || temporaryStatuses.includes(status);
  return isPassing ? failed("always", reason, retryAfter) : failed("few times", reason);
}
