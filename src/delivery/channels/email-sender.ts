import { annotatedPicture } from "../../alert/pictures/annotated-picture.service.js";
import type { GatewayServices } from "../../operation/gateway-services.js";
import { ServiceError } from "../../platform/errors.js";
import { alertMail } from "../messages/alert-mail.js";
import { alertNotification } from "../messages/alert-notification.js";
import type { MailMessage } from "../messages/mail-layout.js";
import { outageMail } from "../messages/outage-mail.js";
import { outageNotification } from "../messages/outage-notification.js";
import type { DeliveryContent } from "../outbox/delivery-content.js";
import type { Sender } from "../outbox/dispatcher-options.js";
import type { EmailChannel } from "./email-channel.js";

/** The maximum size of an attached picture. The mail only links to larger ones. */
const maxPictureBytes = 2 * 1024 * 1024;

/** The maximum time that a mail waits for its picture. */
const maxPictureMs = 8_000;

/** Mails alerts and outages. Alerts of a rule cause at most one mail a minute. */
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
      const [first] = contents as [DeliveryContent];
      const { id, kind, target } = first.delivery;
      const isAboutAlerts = kind === "ALERT" || kind === "TEST";
      const message = isAboutAlerts
        ? await mailAbout(contents, { services, publicUrl: publicUrl(), signal })
        : // If there are several changes, only the last one matters.
          outageMail(outageNotification(contents.at(-1) ?? first, publicUrl()));
      return channel.send({
        to: target,
        messageId: `<${id}@${new URL(publicUrl()).hostname}>`,
        message,
        signal,
      });
    },
  };
}

async function mailAbout(
  contents: readonly DeliveryContent[],
  { services, publicUrl, signal }: { services: GatewayServices; publicUrl: string; signal: AbortSignal },
): Promise<MailMessage> {
  const notifications = contents.map((content) => alertNotification(content, services.links, publicUrl));
  const picture = await pictureOf(contents[0] as DeliveryContent, services, signal);
  return alertMail(notifications, { total: contents.length, ...(picture && { picture }) });
}

/**
 * The annotated picture; undefined if there is none, or if it is unavailable at present,
 * because the mail is more urgent.
 */
async function pictureOf(
  { alert }: DeliveryContent,
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
