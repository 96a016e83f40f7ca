import { annotatedPicture } from "../../alert/pictures/annotated-picture.service.js";
import type { GatewayServices } from "../../operation/gateway-services.js";
import { ServiceError } from "../../platform/errors.js";
import { alertMail } from "../messages/alert-mail.js";
import { alertNotification } from "../messages/alert-notification.js";
import type { MailMessage } from "../messages/mail-layout.js";
import { outageMail } from "../messages/outage-mail.js";
import { outageNotification } from "../messages/outage-notification.js";
import { personalMail } from "../messages/personal-mail.js";
import { type NotificationContent, notificationsAmong } from "../outbox/delivery-content.js";
import type { Sender } from "../outbox/dispatcher-options.js";
import type { EmailChannel } from "./email-channel.js";

/** The maximum size of an attached picture. The mail only links to larger ones. */
const maxPictureBytes = 2 * 1024 * 1024;

/** The maximum time that a mail waits for its picture. */
const maxPictureMs = 8_000;

/**
 * Mails alerts, outages, and what is for single people. Alerts of a rule cause at most
 * one mail a minute.
 */
export function emailSender(
  channel: EmailChannel,
  services: GatewayServices,
  publicUrl: () => string,
): Sender {
  return {
    maxPerMessage: 1_000,
    maxSendMs: 40_000,
    pauseMs: 60_000,
    queuesPerRun: 2,
    isCounted: true,
    send: async (contents, signal) => {
      const [first] = contents;
      if (!first) throw new Error("There is nothing to send");
      const { id, target } = first.delivery;
      const message =
        first.facility === null
          ? await personalMail(first, { services, publicUrl: publicUrl() })
          : await notificationMail(notificationsAmong(contents), {
              services,
              publicUrl: publicUrl(),
              signal,
            });
      return channel.send({
        to: target,
        messageId: `<${id}@${new URL(publicUrl()).hostname}>`,
        message,
        signal,
      });
    },
  };
}

async function notificationMail(
  contents: [NotificationContent, ...NotificationContent[]],
  { services, publicUrl, signal }: { services: GatewayServices; publicUrl: string; signal: AbortSignal },
): Promise<MailMessage> {
  const { kind } = contents[0].delivery;
  // If there are several changes, only the last one matters.
  if (kind !== "ALERT" && kind !== "TEST")
    return outageMail(outageNotification(contents.at(-1) ?? contents[0], publicUrl));
  const notifications = contents.map((content) => alertNotification(content, services.links, publicUrl));
  const picture = await pictureOf(contents[0], services, signal);
  return alertMail(notifications, { total: contents.length, ...(picture && { picture }) });
}

/**
 * The annotated picture; undefined if there is none, or if it is unavailable at present,
 * because the mail is more urgent.
 */
async function pictureOf(
  { alert }: NotificationContent,
  services: GatewayServices,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  if (!alert?.isAnnotatable) return undefined;
  try {
    const { workspaceId, id: alertId } = alert;
    const inTime = AbortSignal.any([signal, AbortSignal.timeout(maxPictureMs)]);
    const picture = await annotatedPicture(
      services,
      { workspaceId, alertId },
      { signal: inTime, logEntry: { statements: 0 } },
    );
    return picture && picture.length <= maxPictureBytes ? picture : undefined;
  } catch (error) {
    if (!(error instanceof ServiceError))
      services.log.warn({ err: error, alertId: alert.id }, "a mail is sent without its picture");
    return undefined;
  }
}
