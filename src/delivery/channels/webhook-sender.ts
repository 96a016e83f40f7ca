import type { SignedLinks } from "../../storage/signed-link.js";
import type { Sender } from "../outbox/dispatcher-options.js";
import { webhookBody } from "./webhook-body.js";
import type { WebhookChannel } from "./webhook-channel.js";

/** Posts each delivery to the webhook of its rule. */
export function webhookSender(channel: WebhookChannel, links: SignedLinks): Sender {
  return {
    maxPerMessage: 1,
    maxSendMs: 10_000,
    pauseMs: 0,
    queuesPerRun: 16,
    isCounted: false,
    send: async ([content], signal, traceHeaders) => {
      if (!content?.facility) throw new Error("There is nothing to send");
      const { delivery, alertRule } = content;
      const message = {
        id: delivery.id,
        url: delivery.target,
        secret: alertRule?.notificationSecret ?? null,
        body: webhookBody(content, links),
        traceHeaders,
      };
      return channel.send(message, signal);
    },
  };
}
