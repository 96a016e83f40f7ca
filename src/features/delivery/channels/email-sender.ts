import type { GatewayServices } from "../../../engine/operation/gateway-services.js";
import { ServiceError } from "../../../platform/errors/errors.js";
import {
  annotatedCameraPicture,
  annotatedPicture,
  annotationOf,
} from "../../alert/pictures/annotated-picture.service.js";
import type { Annotation } from "../../alert/pictures/annotation.js";
import { sizeIn } from "../../alert/stored-geometry.js";
import { areasOf, ruleNode } from "../../alert-rule/rule-tree.js";
import { type AlertMailOptions, alertMail } from "../messages/alert-mail.js";
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
  return alertMail(notifications, { total: contents.length, ...picture });
}

/**
 * The annotated picture of an alert; of one without a picture, and for tests, the camera's newest one. None if it is
 * unavailable at present: the mail is more urgent.
 */
async function pictureOf(
  content: NotificationContent,
  services: GatewayServices,
  signal: AbortSignal,
): Promise<Pick<AlertMailOptions, "picture" | "cameraPicture">> {
  const { alert, camera, delivery } = content;
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(maxPictureMs)]);
  const origin = { signal: inTime, logEntry: { statements: 0 } };
  try {
    if (alert?.isAnnotatable) {
      const { workspaceId, id: alertId } = alert;
      return fitting(await annotatedPicture(services, { workspaceId, alertId }, origin));
    }
    if (!camera || alert?.url != null) return {};
    const { pictureAt } = camera;
    const picture = fitting(await annotatedCameraPicture(services, camera, annotationFor(content), origin));
    return {
      ...picture,
      cameraPicture: { age: pictureAt && services.now().getTime() - pictureAt.getTime() },
    };
  } catch (error) {
    if (!(error instanceof ServiceError))
      services.log.warn({ err: error, deliveryId: delivery.id }, "a mail is sent without its picture");
    return {};
  }
}

const fitting = (picture: Buffer | undefined) =>
  picture && picture.length <= maxPictureBytes ? { picture } : {};

/** What is drawn on the camera's picture: what an alert tells, and for a test the areas of its rule. */
function annotationFor({ alert, alertRule, camera }: NotificationContent): Annotation {
  if (alert) return annotationOf(alert);
  const areas = alertRule ? areasOf(ruleNode(alertRule.group)) : [];
  return { canvas: sizeIn(camera?.imageDimensions), areas: areas.map(({ points }) => points), points: [] };
}
