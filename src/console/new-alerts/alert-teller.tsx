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
  tell: RefObject<() => void>;
}

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

interface NotificationWriter {
  one: (alert: RaisedAlertFragment) => NotificationText;
  several: (count: number) => NotificationText;
}

/** Notifies of new alerts while nobody looks at the page: first of one, then of all in the next ten seconds. */
class NewAlertNotifications {
  readonly #write: () => NotificationWriter;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waiting: RaisedAlertFragment[] = [];

  /** Texts are written by what the function returns when it is needed. */
  constructor(write: () => NotificationWriter) {
    this.#write = write;
  }

  add(alert: RaisedAlertFragment) {
    if (document.visibilityState === "visible" || !isChosen("notification")) return;
    if (this.#timer === undefined) this.#tell([alert]);
    else this.#waiting.push(alert);
  }

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
