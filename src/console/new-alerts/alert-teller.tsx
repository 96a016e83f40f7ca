import { type RefObject, useEffect, useEffectEvent } from "react";
import type { RaisedAlertFragment } from "../../generated/console.js";
import { isolated } from "../../platform/text/text-direction.js";
import { useLanguage } from "../language/language.js";
import { isChosen } from "./choices.js";
import { notify } from "./notifications.js";
import { allowSoundOnFirstTouch, soundNewAlert } from "./sound.js";
import { useTexts } from "./texts.js";

interface AlertTellerProps {
  /** The alerts to tell of. */
  alerts: RefObject<RaisedAlertFragment[]>;
  tell: RefObject<() => void>;
}

/** The time after a notification in which new alerts are summed up, in milliseconds. */
const summedUpFor = 10_000;

/** Tells of new alerts. Notifies while nobody looks at the page: first of one, then of all in the next ten seconds. */
export function AlertTeller({ alerts, tell }: AlertTellerProps) {
  const { words, formats } = useLanguage();
  const texts = useTexts();
  const notifyOf = useEffectEvent(([alert, ...others]: readonly RaisedAlertFragment[]) => {
    if (!alert) return false;
    const { id, name, camera, facility } = alert;
    notify(
      others.length === 0
        ? {
            title: isolated(words.alertType(name)),
            body: `${isolated(camera.name)} · ${isolated(facility.name)}`,
            tag: id,
            to: { alert: id },
          }
        : {
            title: texts.many(formats.number(1 + others.length)),
            tag: "new alerts",
            to: { view: "alerts", open: "true" },
          },
    );
    return true;
  });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let waiting: RaisedAlertFragment[] = [];
    const notifyOfWaiting = () => {
      timer = notifyOf(waiting) ? setTimeout(notifyOfWaiting, summedUpFor) : undefined;
      waiting = [];
    };
    const silence = allowSoundOnFirstTouch();
    tell.current = () => {
      for (const alert of alerts.current.splice(0)) {
        if (document.visibilityState !== "visible" && isChosen("notification")) waiting.push(alert);
        if (timer === undefined) notifyOfWaiting();
        soundNewAlert();
      }
    };
    tell.current();
    return () => {
      tell.current = () => {};
      clearTimeout(timer);
      silence();
    };
  }, [alerts, tell]);
  return null;
}
