import type {
  AlertNotification,
  OutageNotification,
} from "../../src/features/delivery/messages/notification.js";
import { listOf } from "../support/list-of.js";

const facility = {
  id: "0d1f3c2a-6a1b-4f57-9a53-0d7f7c7a0001",
  name: "Istanbul",
  timeZoneId: "Europe/Istanbul",
};
const camera = { id: "0d1f3c2a-6a1b-4f57-9a53-0d7f7c7a0002", name: "Gate in" };

/** Differences from an alert of severity HIGH at 14:05:09 in Istanbul. */
export interface AlertChanges {
  alert?: Partial<AlertNotification["alert"]>;
  camera?: Partial<AlertNotification["camera"]>;
  facility?: Partial<AlertNotification["facility"]>;
  alertRule?: null | Partial<NonNullable<AlertNotification["alertRule"]>>;
  consoleUrl?: string;
  pictureUrl?: string | null;
  isTest?: boolean;
  readersTimeZone?: string;
}

export function alertNotification(changes: AlertChanges = {}): AlertNotification {
  const alert = {
    id: "0d1f3c2a-6a1b-4f57-9a53-0d7f7c7a0003",
    name: "VEHICLE_IN_PEDESTRIAN_AREA",
    severity: "HIGH",
    observation: false,
    alertRuleName: null,
    count: 2,
    createdAt: new Date("2026-11-22T11:05:09Z"),
    ...changes.alert,
  };
  const rule = {
    id: "0d1f3c2a-6a1b-4f57-9a53-0d7f7c7a0004",
    name: alert.name,
    severity: "HIGH",
    pretty: "A vehicle is in the area “Walkway”",
  };
  return {
    alert,
    camera: { ...camera, ...changes.camera },
    facility: { ...facility, ...changes.facility },
    alertRule: changes.alertRule === null ? null : { ...rule, ...changes.alertRule },
    consoleUrl: changes.consoleUrl ?? `https://gateway.example/?alert=${alert.id}`,
    pictureUrl:
      changes.pictureUrl === undefined
        ? "https://gateway.example/files/alert.jpg?expires=1&signature=2"
        : changes.pictureUrl,
    clipUrl: null,
    isTest: changes.isTest ?? false,
    readersTimeZone: changes.readersTimeZone ?? changes.facility?.timeZoneId ?? facility.timeZoneId,
  };
}

/** Alerts of one rule and camera, four seconds apart. */
export function alertSeries(length: number): AlertNotification[] {
  const start = alertNotification().alert.createdAt.getTime();
  return listOf(length, (index) =>
    alertNotification({
      alert: { id: `alert-${index + 1}`, createdAt: new Date(start + index * 4_000) },
      pictureUrl: null,
    }),
  );
}

export function outageNotification(kind: OutageNotification["kind"]): OutageNotification {
  return {
    kind,
    facility,
    camera: kind.startsWith("CAMERA") ? camera : null,
    contacts: [{ name: "Ada", role: "Electrician", phoneNumber: "0532 12", email: null, note: "By day" }],
    note: "Left door",
    at: new Date("2026-11-22T11:05:09Z"),
    consoleUrl: "https://gateway.example/?camera=1",
    readersTimeZone: facility.timeZoneId,
  };
}
