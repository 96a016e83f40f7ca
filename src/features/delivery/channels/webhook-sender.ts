import type { SignedLinks } from "../../../engine/storage/signed-link.js";
import { contentsOf } from "../outbox/delivery-content.js";
import type { SendMessage } from "./channel.js";
import { webhookBody } from "./webhook-body.js";
import type { WebhookChannel } from "./webhook-channel.js";

export const webhookSender =
  (channel: WebhookChannel, links: SignedLinks): SendMessage =>
  async (contents, signal, traceHeaders) => {
    const [content] = contentsOf("notification", contents);
    const { delivery, alertRule } = content;
    const message = {
      id: delivery.id,
      url: delivery.target,
      secret: alertRule?.notificationSecret ?? null,
      body: webhookBody(content, links),
      traceHeaders,
    };
    return channel.send(message, signal);
  };
