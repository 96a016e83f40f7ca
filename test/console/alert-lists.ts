import type { AlertItemFragment } from "../../src/generated/console.js";

export const idOf = (number: number) => `00000000-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;

/**
 * An alert of a second. Ids of alerts of the same second are ordered by their numbers, as
 * the API orders them.
 */
export const alertOf = (number: number, second: number): AlertItemFragment =>
  ({
    id: idOf(number),
    createdAt: new Date(Date.UTC(2020, 0, 1) + second * 1000).toISOString(),
    localCreatedAt: "2020-01-01T00:00:00.000Z",
    facility: { timeZoneId: "UTC" },
    acknowledgedAt: null,
    bookmark: false,
    falsePositive: false,
    areaIds: [],
  }) as unknown as AlertItemFragment;

export const cursorOf = ({ createdAt, id }: AlertItemFragment) => `${createdAt} ${id}`;

/** A list of alerts, newest first. */
export interface AlertList {
  readonly length: number;
  at(place: number): AlertItemFragment;
  /** The number of alerts up to a position, inclusive. */
  upTo(cursor: string): number;
}

/** Any number of alerts, without their memory. */
export class CountedAlerts implements AlertList {
  constructor(
    public length: number,
    public oldest = 0,
  ) {}
  at(place: number): AlertItemFragment {
    const number = this.oldest + this.length - 1 - place;
    return alertOf(number, number);
  }
  upTo(cursor: string): number {
    return this.oldest + this.length - Number.parseInt(cursor.slice(-12), 16);
  }
}

export class SortedAlerts implements AlertList {
  alerts: AlertItemFragment[] = [];
  get length(): number {
    return this.alerts.length;
  }
  at(place: number): AlertItemFragment {
    return this.alerts[place] as AlertItemFragment;
  }
  upTo(cursor: string): number {
    return this.alerts.filter((alert) => cursorOf(alert) >= cursor).length;
  }
  add(alert: AlertItemFragment): void {
    this.alerts.splice(this.upTo(cursorOf(alert)), 0, alert);
  }
}
