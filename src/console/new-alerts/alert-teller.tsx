import { type RefObject, useEffect, useRef } from "react";
import type { RaisedAlertFragment } from "../../generated/console.js";
import { isolated } from "../../platform/text-direction.js";
import { useLanguage } from "../language/language.js";
import { NewAlertNotifications, type NotificationWriter } from "./new-alert-notifications.js";
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
