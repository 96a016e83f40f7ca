import type { SignedLinks } from "../../../engine/storage/signed-link.js";
import { alertNotification } from "../messages/alert-notification.js";
import { alertTextMessage } from "../messages/alert-text-message.js";
import { contentsOf } from "../outbox/delivery-content.js";
import type { SendMessage } from "./channel.js";
import type { SmsChannel } from "./sms-channel.js";

export const smsSender =
  (channel: SmsChannel, links: SignedLinks, publicUrl: () => string): SendMessage =>
  async (contents, signal) => {
    const notified = contentsOf("notification", contents);
    const notifications = notified.map((content) => alertNotification(content, links, publicUrl()));
    return channel.send({
      to: notified[0].delivery.target,
      text: alertTextMessage(notifications, { total: notified.length }),
      signal,
    });
  };
