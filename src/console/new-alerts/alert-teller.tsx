import { useEffect, useRef } from "react";
import { useClient } from "urql";
import { NewAlertDocument } from "../../generated/console.js";
import { isolated } from "../../platform/text-direction.js";
import { useLanguage } from "../language/language.js";
import { NewAlertNotifications, type NotificationWriter } from "./new-alert-notifications.js";
import { allowSoundOnFirstTouch, soundNewAlert } from "./sound.js";
import { useTexts } from "./texts.js";

/** Tells of new alerts as the reader has chosen. Observations need nobody. */
export function AlertTeller() {
  const client = useClient();
  const writer = useWriter();
  const write = useRef(writer);
  write.current = writer;
  useEffect(() => {
    const notifications = new NewAlertNotifications(() => write.current);
    const raised = client.subscription(NewAlertDocument, {}).subscribe(({ data }) => {
      if (!data || data.alertRaised.observation) return;
      notifications.add(data.alertRaised);
      soundNewAlert();
    });
    const silence = allowSoundOnFirstTouch();
    return () => {
      raised.unsubscribe();
      notifications.stop();
      silence();
    };
  }, [client]);
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
