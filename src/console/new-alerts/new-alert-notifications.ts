import type { RaisedAlertFragment } from "../../generated/console.js";
import { isChosen } from "./choices.js";
import { type NotificationText, notify } from "./notifications.js";

/** The time after a notification in which new alerts are summed up, in milliseconds. */
const summedUpFor = 10_000;

/** Writes the notification of one alert, or of the number of several. */
export interface NotificationWriter {
  one: (alert: RaisedAlertFragment) => NotificationText;
  several: (count: number) => NotificationText;
}

/**
 * Notifies of new alerts while nobody looks at the page: of the first at once, and of
 * those that follow within ten seconds together.
 */
export class NewAlertNotifications {
  readonly #write: () => NotificationWriter;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waiting: RaisedAlertFragment[] = [];

  /** Texts are written by what the function returns when it is needed. */
  constructor(write: () => NotificationWriter) {
    this.#write = write;
  }

  /** Notifies of an alert, now or later. */
  add(alert: RaisedAlertFragment): void {
    if (document.visibilityState === "visible" || !isChosen("notification")) return;
    if (this.#timer === undefined) this.#tell([alert]);
    else this.#waiting.push(alert);
  }

  /** Forgets the alerts that wait. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting = [];
  }

  #tell(alerts: RaisedAlertFragment[]): void {
    const [first] = alerts;
    if (first) notify(alerts.length === 1 ? this.#write().one(first) : this.#write().several(alerts.length));
    this.#waiting = [];
    this.#timer = first && setTimeout(() => this.#tell(this.#waiting), summedUpFor);
  }
}
