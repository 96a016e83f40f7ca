import type {
  Alert,
  AlertRule,
  Camera,
  Delivery,
  Facility,
  StreamRequest,
} from "../../../generated/prisma/client.js";
import { defined } from "../../../platform/defined.js";
import { ruleNameIn } from "../../alert-rule/rule-tree.js";
import type { PersonalMailContent } from "./personal-mail-content.js";

export type NotifiedAlert = Omit<
  Alert,
  "facilityId" | "recordedAt" | "pictureAt" | `${string}Changed${string}` | `acknowledged${string}`
> & { isAnnotatable: boolean; clipKey: string | null };

export type DeliveryContent = NotificationContent | StreamRequestContent | PersonalMailContent;

export interface NotificationContent {
  kind: "notification";
  delivery: Delivery;
  facility: Facility;
  /** Null for outages of a facility. */
  camera: Camera | null;
  /** Null for outages and tests. */
  alert: NotifiedAlert | null;
  /** Null without a rule, and if the rule has been deleted. */
  alertRule: AlertRule | null;
  /** The time zone that the addressee of a mail chose for digests; undefined if none is known. */
  readersTimeZone: string | undefined;
}

export interface StreamRequestContent {
  kind: "streamRequest";
  delivery: Delivery;
  streamRequest: StreamRequest;
}

/** The contents of one queue, which are all of the same kind. */
export function contentsOf<Kind extends DeliveryContent["kind"]>(
  kind: Kind,
  contents: readonly DeliveryContent[],
): [Extract<DeliveryContent, { kind: Kind }>, ...Extract<DeliveryContent, { kind: Kind }>[]] {
  const isOfKind = (content: DeliveryContent): content is Extract<DeliveryContent, { kind: Kind }> =>
    content.kind === kind;
  const [first, ...others] = contents.filter(isOfKind);
  if (!first) throw new Error("There is nothing to send");
  return [first, ...others];
}

/** The alert of the message. For tests, an example of an alert of the rule. */
export function notifiedAlert({ delivery, alert, alertRule }: NotificationContent): NotifiedAlert {
  if (alert) return alert;
  return {
    id: delivery.id,
    workspaceId: delivery.workspaceId,
    cameraId: defined(delivery.cameraId),
    alertRuleId: delivery.alertRuleId,
    alertRuleName: alertRule && ruleNameIn(alertRule.group),
    name: alertRule?.name ?? "TEST",
    severity: alertRule?.severity ?? null,
    observation: alertRule?.observation ?? false,
    count: 1,
    createdAt: delivery.createdAt,
    url: null,
    thumbnailUrl: null,
    pictureAwaitedUntil: null,
    imageDimensions: null,
    canvasDimensions: null,
    violatingCoordinates: null,
    area: null,
    areaIds: [],
    storageClass: "",
    info: null,
    bookmark: false,
    falsePositive: false,
    isAnnotatable: false,
    clipKey: null,
  };
}
