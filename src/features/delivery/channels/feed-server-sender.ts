import type { StreamRequest } from "../../../generated/prisma/client.js";
import { codeOf, errorOf } from "../../../platform/thrown.js";
import { contentsOf } from "../outbox/delivery-content.js";
import { failed, type Sender, type SendOutcome, temporaryStatuses } from "./channel.js";

const timeoutMs = 10_000;

/** Posts stream requests to the feed server. `publicUrl` is the base URL of callbacks. */
export function feedServerSender(url: string, publicUrl: () => string): Sender {
  return {
    maxPerMessage: 1,
    maxSendMs: timeoutMs,
    pauseMs: 0,
    // All workspaces share the feed server, so the next one has its turn after a message.
    queuesPerRun: 1,
    isCounted: false,
    backoff: { firstMs: 1_000, maxMs: 5 * 60_000 },
    send: async (contents, signal, traceHeaders) => {
      const [{ streamRequest }] = contentsOf("streamRequest", contents);
      const timeout = AbortSignal.timeout(timeoutMs);
      try {
        const response = await fetch(url, {
          method: "POST",
          headers: { ...traceHeaders, "content-type": "application/json" },
          body: JSON.stringify(bodyOf(streamRequest, publicUrl())),
          redirect: "manual",
          signal: AbortSignal.any([signal, timeout]),
        });
        await response.body?.cancel();
        return outcomeOf(response);
      } catch (error) {
        const { name, cause } = errorOf(error);
        return failed(
          "always",
          timeout.aborted
            ? `The feed server did not respond within ${timeoutMs} ms`
            : `The feed server is unreachable: ${codeOf(cause) || name}`,
        );
      }
    },
  };
}

function bodyOf({ requestId, cameraId, url, streamType, streamProtocol }: StreamRequest, publicUrl: string) {
  const callback = (name: string) => `${publicUrl}/cameras/${name}/${requestId}`;
  return {
    requestId,
    cameraId,
    url,
    streamType: streamType?.toLowerCase() ?? null,
    streamProtocol: streamProtocol?.toLowerCase() ?? null,
    callbacks: {
      thumbnail: callback("thumbnail"),
      metadata: callback("metadata"),
      error: callback("feedserver/error"),
    },
  };
}

function outcomeOf({ ok, status }: Response): SendOutcome {
  if (ok) return { kind: "sent" };
  const isPermanent = status >= 300 && status < 500 && !temporaryStatuses.includes(status);
  return failed(isPermanent ? "never" : "always", `The feed server responded with status ${status}`);
}
