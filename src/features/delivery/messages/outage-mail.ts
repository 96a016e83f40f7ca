import { statesInEnglish } from "../../camera/status/states-in-english.js";
import { layOut, type MailMessage, type Tone } from "./mail-layout.js";
import type { OutageNotification } from "./notification.js";
import { localMoment, nameInSubject, presentableText, timeFacts } from "./notification-words.js";

interface OutageWords {
  label: string;
  tone: Tone;
  heading: string;
  /** The text after the place in the subject. */
  news: (time: string) => string;
  introduction: string;
  momentName: string;
}

const { FACILITY_OFFLINE, NO_STREAM, WORKING } = statesInEnglish;

const wordsOf: Record<OutageNotification["kind"], OutageWords> = {
  CAMERA_LOST: {
    label: NO_STREAM,
    tone: "danger",
    heading: NO_STREAM,
    news: (time) => `since ${time}`,
    introduction:
      "The stream of this camera cannot be opened. Until it is back, expect no alerts from it. You get a mail when it recovers.",
    momentName: "Since",
  },
  CAMERA_RECOVERED: {
    label: WORKING,
    tone: "good",
    heading: `${WORKING} again`,
    news: (time) => `again since ${time}`,
    introduction: "The stream of this camera can be opened again.",
    momentName: "Since",
  },
  FACILITY_OFFLINE: {
    label: FACILITY_OFFLINE,
    tone: "danger",
    heading: FACILITY_OFFLINE,
    news: (time) => `since ${time}`,
    introduction:
      "The device at this facility has gone silent. Until it is back, expect no alerts from the facility's cameras. You get a mail when it is back.",
    momentName: "Last heard from",
  },
  FACILITY_BACK: {
    label: "Facility back",
    tone: "good",
    heading: "Back online",
    news: (time) => `back online since ${time}`,
    introduction: "The device at this facility reports again.",
    momentName: "Since",
  },
};

export function outageMail(notification: OutageNotification): MailMessage {
  const { kind, at, consoleUrl } = notification;
  const { label, tone, heading, news, introduction, momentName } = wordsOf[kind];
  const camera = notification.camera && {
    ...notification.camera,
    name: presentableText(notification.camera.name),
  };
  const facility = { ...notification.facility, name: presentableText(notification.facility.name) };
  const places = camera ? [camera.name, facility.name] : [facility.name];
  const { full, time } = localMoment(at, notification.readersTimeZone);
  const content = {
    subject: `[${label}] ${places.map(nameInSubject).join(" · ")}: ${news(time)}`,
    preview: `${momentName} ${full}.`,
    label: { text: label, tone },
    heading,
    subheading: places.join(" · "),
    introduction,
    facts: [
      ...timeFacts(momentName, notification, [at], (moment) => moment.full),
      ...notification.contacts.map(({ name, role, phoneNumber, email, note }) => ({
        name: "Call",
        value: [name, role, phoneNumber, email, note]
          .flatMap((part) => (part ? [presentableText(part)] : []))
          .join(", "),
      })),
      ...(notification.note ? [{ name: "Note", value: presentableText(notification.note) }] : []),
    ],
    links: [{ label: camera ? "Open the camera" : "Open the facility", url: consoleUrl }],
    footer: `You get this mail because your address is a recipient of ${
      camera ? `the camera “${camera.name}”` : `a camera at “${facility.name}”`
    }. Someone with access to the gateway can change that.`,
  };
  return layOut(content, `outage.${camera?.id ?? facility.id}`);
}
