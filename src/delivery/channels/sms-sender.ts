import type { SignedLinks } from "../../storage/signed-link.js";
import { alertNotification } from "../messages/alert-notification.js";
import { alertTextMessage } from "../messages/alert-text-message.js";
import { notificationsAmong } from "../outbox/delivery-content.js";
import type { Sender } from "../outbox/dispatcher-options.js";
import type { SmsChannel } from "./sms-channel.js";

/** Sends text messages about alerts, at most one in five minutes per rule. */
export function smsSender(channel: SmsChannel, links: SignedLinks, publicUrl: () => string): Sender {
  return {
    maxPerMessage: 1_000,
    maxSendMs: 10_000,
    pauseMs: 5 * 60_000,
    queuesPerRun: 2,
    isCounted: true,
    send: (contents, signal) => {
      const told = notificationsAmong(contents);
      const notifications = told.map((content) => alertNotification(content, links, publicUrl()));
      return channel.send({
        to: told[0].delivery.target,
        text: alertTextMessage(notifications, { total: contents.length }),
        signal,
      });
    },
  };
}
