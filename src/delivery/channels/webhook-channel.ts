import { createHmac } from "node:crypto";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { signingKey } from "../../alert-rule/webhook-secret.js";
import { AddressNotAllowed, type NetworkAddresses } from "../../platform/network-addresses.js";
import { retryAfterMs } from "../../platform/retry-after.js";
import type { TraceHeaders } from "../../platform/telemetry/tracing.js";
import { inParentheses, type SendOutcome } from "./channel.js";
import { temporaryStatuses } from "./temporary-status.js";

const maxResponseBytes = 64 * 1024;

/** A message to a webhook. */
export interface WebhookMessage {
  /** The same for every attempt. */
  id: string;
  url: string;
  /** The key of the signature; null for no signature. */
  secret: string | null;
  body: string;
  /** Headers that let the receiver continue the trace; absent without a trace. */
  traceHeaders?: TraceHeaders;
}

/** Options of {@link WebhookChannel}. */
export interface WebhookOptions {
  addresses: NetworkAddresses;
  now: () => Date;
  /** The time limit for an answer of the target, in milliseconds. */
  timeoutMs?: number;
}

interface Answer {
  status: number;
  retryAfter: string | undefined;
}

/**
 * Posts messages to webhooks, with signatures according to Standard Webhooks
 * (https://www.standardwebhooks.com).
 */
export class WebhookChannel {
  readonly #addresses: NetworkAddresses;
  readonly #now: () => Date;
  readonly #timeoutMs: number;
  readonly #agents: { http: http.Agent; https: https.Agent };

  constructor({ addresses, now, timeoutMs = 10_000 }: WebhookOptions) {
    this.#addresses = addresses;
    this.#now = now;
    this.#timeoutMs = timeoutMs;
    const agent = { keepAlive: true, maxFreeSockets: 32, timeout: 30_000, lookup: addresses.lookup };
    this.#agents = { http: new http.Agent(agent), https: new https.Agent(agent) };
  }

  close(): void {
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }

  /**
   * Posts a message. Statuses from 200 to 299 mean success. Follows no redirects, and
   * discards the answer.
   */
  async send(message: WebhookMessage, signal: AbortSignal): Promise<SendOutcome> {
    const key = message.secret === null ? null : signingKey(message.secret);
    if (key === undefined)
      return {
        kind: "failed",
        retry: "never",
        reason: "The rule's secret is no Base64 after whsec_: set another one",
      };
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    try {
      const { status, retryAfter } = await this.#post(message, key, AbortSignal.any([signal, timeout]));
      return outcomeOf(
        status,
        retryAfterMs(new Headers(retryAfter === undefined ? [] : [["retry-after", retryAfter]]), this.#now()),
      );
    } catch (error) {
      if (error instanceof AddressNotAllowed)
        return { kind: "failed", retry: "few times", reason: "The webhook's address is not public" };
      return {
        kind: "failed",
        retry: "always",
        reason: timeout.aborted
          ? `The webhook did not respond within ${this.#timeoutMs} ms`
          : reasonOf(error),
      };
    }
  }

  #post(message: WebhookMessage, key: Buffer | null, signal: AbortSignal): Promise<Answer> {
    const url = new URL(message.url);
    this.#addresses.assertHost(url.hostname);
    const protocol = url.protocol === "https:" ? "https" : "http";
    const { request: open } = protocol === "https" ? https : http;
    const body = Buffer.from(message.body);
    return new Promise((resolve, reject) => {
      const headers = { ...this.#headers(message, key), "content-length": body.length };
      const request = open(url, { method: "POST", agent: this.#agents[protocol], signal, headers });
      let answer: Answer | undefined;
      const answerOf = ({ statusCode, headers }: IncomingMessage): Answer => ({
        status: statusCode as number,
        retryAfter: headers["retry-after"],
      });
      request.on("response", (response) => {
        answer = answerOf(response);
        let received = 0;
        // Read the body, so that the connection can be used again, but only up to a
        // limit.
        response.on("data", (chunk: Buffer) => {
          received += chunk.length;
          if (received > maxResponseBytes) response.destroy();
        });
        response.on("error", () => undefined);
      });
      // Nobody asked for an upgrade, but no other event reports this answer.
      request.on("upgrade", (response, socket) => {
        socket.destroy();
        resolve(answerOf(response));
      });
      // The status is enough, even if the rest of the answer does not arrive.
      request.on("error", (error) => (answer ? resolve(answer) : reject(error)));
      request.on("close", () => (answer ? resolve(answer) : reject(new Error("The connection was closed"))));
      request.end(body);
    });
  }

  #headers({ id, body, traceHeaders }: WebhookMessage, key: Buffer | null): Record<string, string> {
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

/** The signature of Standard Webhooks. */
const signature = (key: Buffer, content: string) =>
  `v1,${createHmac("sha256", key).update(content).digest("base64")}`;

function outcomeOf(status: number, retryAfter: number | undefined): SendOutcome {
  if (status >= 200 && status < 300) return { kind: "sent" };
  const reason = `The webhook responded with status ${status}`;
  if (status === 410) return { kind: "failed", retry: "never", reason };
  const isPassing = status >= 500 || temporaryStatuses.includes(status);
  return {
    kind: "failed",
    retry: isPassing ? "always" : "few times",
    reason,
    ...(isPassing && retryAfter !== undefined && { retryAfterMs: retryAfter }),
  };
}

function reasonOf(error: unknown): string {
  const { code, name } = error as NodeJS.ErrnoException;
  return `The webhook is unreachable${inParentheses(code ?? name)}`;
}
