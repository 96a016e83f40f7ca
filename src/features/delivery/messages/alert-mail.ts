import { defined } from "../../../platform/defined.js";
import {
  layOut,
  type MailAttachment,
  type MailContent,
  type MailLink,
  type MailList,
  type MailMessage,
  type Tone,
} from "./mail-layout.js";
import type { AlertNotification } from "./notification.js";
import {
  ageInWords,
  gravest,
  inOrderOfTime,
  type LocalMoment,
  localMoment,
  nameInSubject,
  numberOf,
  presentable,
  timeFacts,
} from "./notification-words.js";

const maxListed = 20;

export interface AlertMailOptions {
  /** The number of alerts that the mail stands for. Those that were not given are only counted. */
  total: number;
  /** A JPEG that shows the first given alert. */
  picture?: Buffer;
  /** Given if the picture is the camera's newest one, as the alert has none: how old it is in ms, if known. */
  cameraPicture?: { age: number | null };
}

/** A mail about one alert, or a digest of several alerts of one rule and camera. */
export function alertMail(
  notifications: AlertNotification[],
  { total, picture, cameraPicture }: AlertMailOptions,
): MailMessage {
  const alerts = notifications.map(presentable);
  const [pictured] = alerts;
  if (!pictured) throw new Error("A mail needs at least one alert");
  const attachments = picture ? [attachedPicture(pictured, picture)] : [];
  const { facts, ...content } = total > 1 ? digest(alerts, total) : singleAlert(pictured);
  const note =
    cameraPicture &&
    pictureNote(cameraPicture, { hasPicture: picture !== undefined, isTest: pictured.isTest });
  const embedded =
    attachments.map(({ cid }) => ({ cid, ...describePicture(pictured, total, note) }))[0] ?? null;
  const allFacts = [...facts, ...(note === undefined ? [] : [{ name: "Picture", value: note }])];
  return layOut({ ...content, facts: allFacts, picture: embedded }, threadOf(pictured), attachments);
}

/** Starts one conversation per day, rule and camera: a longer one would hide new alerts. */
function threadOf({ alert, alertRule, camera, facility }: AlertNotification): string {
  const { date } = localMoment(alert.createdAt, facility.timeZoneId);
  return `${alertRule?.id ?? "alerts"}.${camera.id}.${date.replaceAll(" ", "-").toLowerCase()}`;
}

function attachedPicture({ alert }: AlertNotification, content: Buffer): MailAttachment {
  return { filename: "alert.jpg", contentType: "image/jpeg", content, cid: `${alert.id}@alert.picture` };
}

/** What the mail shows in place of a picture of the alert; undefined if nothing is to be said about it. */
function pictureNote(
  { age }: NonNullable<AlertMailOptions["cameraPicture"]>,
  { hasPicture, isTest }: { hasPicture: boolean; isTest: boolean },
): string | undefined {
  if (!hasPicture) return isTest ? "None: the gateway has no picture of this camera yet." : undefined;
  const old = age === null ? "of unknown age" : `${ageInWords(age)} old when this was sent`;
  return `The camera’s newest one, ${old}. It shows the place, not the event.`;
}

function describePicture(
  { alert, camera, readersTimeZone }: AlertNotification,
  total: number,
  note: string | undefined,
): { description: string; caption: string | null } {
  if (note !== undefined) return { description: `Picture of the camera ${camera.name}`, caption: null };
  const { full, timeWithSeconds } = localMoment(alert.createdAt, readersTimeZone);
  return {
    description: `Picture of the camera ${camera.name}, ${full}: ${alert.name}`,
    caption: total > 1 ? `The alert of ${timeWithSeconds}` : null,
  };
}

type AlertMailContent = MailContent & Required<Pick<MailContent, "facts">>;

function singleAlert(notification: AlertNotification): AlertMailContent {
  const { alert, alertRule, consoleUrl, pictureUrl, clipUrl, readersTimeZone, isTest } = notification;
  const { full } = localMoment(alert.createdAt, readersTimeZone);
  const objects = numberOf(alert.count, "object");
  return {
    ...frame([notification], alert.name),
    preview: `${full}. ${alertRule?.pretty ? `${alertRule.pretty}. ` : ""}${objects}.`,
    heading: alert.name,
    facts: [
      ...timeFacts("When", notification, [alert.createdAt], (moment) => moment.full),
      ...ruleFact(notification),
      { name: "Objects", value: String(alert.count) },
    ],
    links: [
      { label: isTest ? "Open the console" : "Open the alert", url: consoleUrl },
      ...(pictureUrl ? [{ label: "Open the picture (the link works for 7 days)", url: pictureUrl }] : []),
      ...(clipUrl ? [{ label: "Play the clip (the link works for 7 days)", url: clipUrl }] : []),
    ],
  };
}

function digest(alerts: AlertNotification[], total: number): AlertMailContent {
  const inOrder = inOrderOfTime(alerts);
  const listed = inOrder.slice(0, maxListed);
  const [first, last] = [defined(inOrder[0]), defined(inOrder.at(-1))];
  const ends = [first.alert.createdAt, last.alert.createdAt];
  const [from, to] = ends.map((end) => localMoment(end, first.readersTimeZone).date);
  const isOneType = new Set(alerts.map(({ alert }) => alert.name)).size === 1;
  const heading = isOneType ? `${total} × ${first.alert.name}` : `${total} alerts`;
  const when = timeFacts("When", first, ends, total > alerts.length ? ({ full }) => `Since ${full}` : period);
  const hasLinks = listed.some(({ pictureUrl, clipUrl }) => pictureUrl !== null || clipUrl !== null);
  return {
    ...frame(alerts, isOneType ? first.alert.name : "alerts", isOneType ? `${total} × ` : `${total} `),
    preview: `${when[0]?.value}.`,
    heading,
    facts: [
      ...when,
      ...ruleFact(first),
      ...(hasLinks ? [{ name: "Pictures", value: "Their links work for 7 days." }] : []),
    ],
    lists: [listOf(listed, { total, isOneType, isOneDay: from === to })],
    links: [{ label: "Open the first alert", url: first.consoleUrl }],
  };
}

function listOf(
  alerts: AlertNotification[],
  { total, isOneType, isOneDay }: { total: number; isOneType: boolean; isOneDay: boolean },
): MailList {
  const isOneSeverity = new Set(alerts.map(({ alert }) => alert.severity)).size === 1;
  const omitted = total - alerts.length;
  return {
    heading: null,
    rows: alerts.map((notification) => {
      const { alert, readersTimeZone } = notification;
      const parts = [
        isOneType ? null : alert.name,
        isOneSeverity ? null : alert.severity,
        numberOf(alert.count, "object"),
      ];
      return {
        title: timeInList(localMoment(alert.createdAt, readersTimeZone), isOneDay),
        description: parts.filter((part) => part !== null).join(", "),
        links: linksInList(notification),
      };
    }),
    remainder: omitted > 0 ? `and ${omitted} more` : null,
  };
}

function linksInList({ consoleUrl, pictureUrl, clipUrl }: AlertNotification): MailLink[] {
  return [
    { label: "Alert", url: consoleUrl },
    ...(pictureUrl ? [{ label: "Picture", url: pictureUrl }] : []),
    ...(clipUrl ? [{ label: "Clip", url: clipUrl }] : []),
  ];
}

const timeInList = ({ day, timeWithSeconds }: LocalMoment, isOneDay: boolean) =>
  isOneDay ? timeWithSeconds : `${day}, ${timeWithSeconds}`;

function period(from: LocalMoment, to: LocalMoment): string {
  if (from.full === to.full) return from.full;
  if (from.date === to.date) return `${from.date}, ${from.time} to ${to.time} (${to.zone})`;
  return `${from.date}, ${from.time} to ${to.date}, ${to.time} (${to.zone})`;
}

/** The rule's own name, and the rule in words: its type would add nothing to that of its alerts. */
function ruleFact({ alert, alertRule }: AlertNotification): { name: string; value: string }[] {
  const type = alertRule && alertRule.name !== alert.name ? alertRule.name : null;
  const known = [alert.alertRuleName, alertRule?.pretty ?? type].filter((text) => text !== null);
  return known.length === 0 ? [] : [{ name: "Rule", value: known.join(": ") }];
}

const tones = new Map<string, Tone>(
  Object.entries({ CRITICAL: "danger", HIGH: "danger", MEDIUM: "warning", LOW: "notice" }),
);

function frame(
  alerts: AlertNotification[],
  what: string,
  count = "",
): Pick<MailContent, "subject" | "notice" | "label" | "subheading" | "footer"> {
  const grave = gravest(alerts);
  const { severity } = grave.alert;
  const isTest = alerts.some((each) => each.isTest);
  const [type, camera, facility] = [what, grave.camera.name, grave.facility.name].map(nameInSubject);
  return {
    subject: `${isTest ? "[TEST] " : ""}${severity === null ? "" : `[${severity}] `}${count}${type} · ${camera} · ${facility}`,
    notice: isTest ? "This is a test that somebody asked for. Nothing happened." : null,
    label:
      severity === null ? null : { text: severity, tone: tones.get(severity.toUpperCase()) ?? "neutral" },
    subheading: `${grave.camera.name} · ${grave.facility.name}`,
    footer: reasonForMail(grave),
  };
}

function reasonForMail({ alert, alertRule, camera }: AlertNotification): string {
  const named = alertRule
    ? `is named in the alert rule “${alert.alertRuleName ?? alertRule.name}”, or as a recipient of the camera “${camera.name}”`
    : `is a recipient of the camera “${camera.name}”`;
  return `You get this mail because your address ${named}. Someone with access to the gateway can change that.`;
}
