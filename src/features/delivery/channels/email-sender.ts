import type { GatewayServices } from "../../../engine/operation/gateway-services.js";
import { ServiceError } from "../../../platform/errors/errors.js";
import { annotatedPicture } from "../../alert/pictures/annotated-picture.service.js";
import { alertMail } from "../messages/alert-mail.js";
import { alertNotification } from "../messages/alert-notification.js";
import type { MailMessage } from "../messages/mail-layout.js";
import { outageMail } from "../messages/outage-mail.js";
import { outageNotification } from "../messages/outage-notification.js";
import { personalMail } from "../messages/personal-mail.js";
import { contentsOf, type NotificationContent } from "../outbox/delivery-content.js";
import type { SendMessage } from "./channel.js";
import type { EmailChannel } from "./email-channel.js";

/** The maximum size of an attached picture. The mail only links to larger ones. */
const maxPictureBytes = 2 * 1024 * 1024;

/** The maximum time that a mail waits for its picture. */
const maxPictureMs = 8_000;

export const emailSender =
  (channel: EmailChannel, services: GatewayServices, publicUrl: () => string): SendMessage =>
  async (contents, signal) => {
    const [first] = contents;
    if (!first) throw new Error("There is nothing to send");
    const { id, target } = first.delivery;
    const message =
      first.kind === "personalMail"
        ? personalMail(first, services, publicUrl())
        : await notificationMail(contentsOf("notification", contents), {
            services,
            publicUrl: publicUrl(),
            signal,
          });
    const messageId = `<${id}@${new URL(publicUrl()).hostname}>`;
    return channel.send({ to: target, messageId, message, signal });
  };

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

/** The annotated picture; undefined if there is none, or if it is unavailable at present: the mail is more urgent. */
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
