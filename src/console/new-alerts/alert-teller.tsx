import { type RefObject, useEffect, useRef } from "react";
import type { RaisedAlertFragment } from "../../generated/console.js";
import { isolated } from "../../platform/text/text-direction.js";
import { useLanguage } from "../language/language.js";
import { isChosen } from "./choices.js";
import { type NotificationText, notify } from "./notifications.js";
import { allowSoundOnFirstTouch, soundNewAlert } from "./sound.js";
import { useTexts } from "./texts.js";

interface AlertTellerProps {
  /** The alerts to tell of. */
  alerts: RefObject<RaisedAlertFragment[]>;
  /** What to call once there are more. */
  tell: RefObject<() => void>;
}

/** Tells of new alerts as the reader has chosen. */
export function AlertTeller({ alerts, tell }: AlertTellerProps) {
  const writer = useWriter();
  const write = useRef(writer);
  write.current = writer;
  useEffect(() => {
    const notifications = new NewAlertNotifications(() => write.current);
    const silence = allowSoundOnFirstTouch();
    tell.current = () => {
      for (const alert of alerts.current.splice(0)) {
        notifications.add(alert);
        soundNewAlert();
      }
    };
    tell.current();
    return () => {
      tell.current = () => {};
      notifications.stop();
      silence();
    };
  }, [alerts, tell]);
  return null;
}

/** Writes notifications in the reader's language. */
function useWriter(): NotificationWriter {
  const { words, formats } = useLanguage();
  const texts = useTexts();
  return {
    one: ({ id, name, camera, facility }) => ({
      title: isolated(words.alertType(name)),
      body: `${isolated(camera.name)} · ${isolated(facility.name)}`,
      tag: id,
      to: { alert: id },
    }),
    several: (count) => ({
      title: texts.many(formats.number(count)),
      tag: "new alerts",
      to: { view: "alerts", open: "true" },
    }),
  };
}

/** The time after a notification in which new alerts are summed up, in milliseconds. */
const summedUpFor = 10_000;

/** Writes the notification of one alert, or of the number of several. */
interface NotificationWriter {
  one: (alert: RaisedAlertFragment) => NotificationText;
  several: (count: number) => NotificationText;
}

/**
 * Notifies of new alerts while nobody looks at the page: of the first at once, and of
 * those that follow within ten seconds together.
 */
class NewAlertNotifications {
  readonly #write: () => NotificationWriter;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waiting: RaisedAlertFragment[] = [];

  /** Texts are written by what the function returns when it is needed. */
  constructor(write: () => NotificationWriter) {
    this.#write = write;
  }

  /** Notifies of an alert, now or later. */
  add(alert: RaisedAlertFragment) {
    if (document.visibilityState === "visible" || !isChosen("notification")) return;
    if (this.#timer === undefined) this.#tell([alert]);
    else this.#waiting.push(alert);
  }

  /** Forgets the alerts that wait. */
  stop() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting = [];
  }

  #tell(alerts: RaisedAlertFragment[]) {
    const [first] = alerts;
    if (first) notify(alerts.length === 1 ? this.#write().one(first) : this.#write().several(alerts.length));
    this.#waiting = [];
    this.#timer = first && setTimeout(() => this.#tell(this.#waiting), summedUpFor);
  }
}
