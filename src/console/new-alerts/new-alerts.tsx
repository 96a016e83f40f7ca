import { useEffect, useRef } from "react";
import { useClient, useQuery } from "urql";
import { ChangedAlertDocument, NewAlertDocument, OpenAlertCountDocument } from "../../generated/console.js";
import { isolated } from "../../platform/text-direction.js";
import { useReconnections } from "../data/connection.js";
import { useThrottled } from "../data/throttled.js";
import { useLanguage } from "../language/language.js";
import { setOpenAlertsInTitle } from "../shell/page-title.js";
import { NewAlertNotifications, type NotificationWriter } from "./new-alert-notifications.js";
import { allowSoundOnFirstTouch, soundNewAlert } from "./sound.js";
import { useTexts } from "./texts.js";

/** The minimum time between two counts of the open alerts, in milliseconds. */
const countInterval = 2_000;

/**
 * Shows the number of open alerts in the browser's tab, and tells of new ones as the
 * reader has chosen. Renders nothing in the page.
 */
export function NewAlerts() {
  const { formats } = useLanguage();
  const [{ data }, count] = useQuery({ query: OpenAlertCountDocument });
  const countSoon = useThrottled(() => count({ requestPolicy: "network-only" }), countInterval);
  useNewAlerts(countSoon);
  const reconnections = useReconnections();
  useEffect(() => {
    if (reconnections > 0) countSoon();
  }, [reconnections, countSoon]);
  const open = data?.workspace.openAlertCount ?? 0;
  const title = open === 0 ? "" : formats.number(open);
  useEffect(() => {
    setOpenAlertsInTitle(title);
    return () => setOpenAlertsInTitle("");
  }, [title]);
  useEffect(() => {
    showInIcon(open);
    return () => showInIcon(0);
  }, [open]);
  return null;
}

/** Follows alerts, and tells of new ones. Observations need nobody. */
function useNewAlerts(onChange: () => void): void {
  const client = useClient();
  const writer = useWriter();
  const write = useRef(writer);
  write.current = writer;
  useEffect(() => {
    const notifications = new NewAlertNotifications(() => write.current);
    const raised = client.subscription(NewAlertDocument, {}).subscribe(({ data }) => {
      if (!data) return;
      onChange();
      if (data.alertRaised.observation) return;
      notifications.add(data.alertRaised);
      soundNewAlert();
    });
    const changed = client.subscription(ChangedAlertDocument, {}).subscribe(({ data }) => data && onChange());
    const silence = allowSoundOnFirstTouch();
    return () => {
      raised.unsubscribe();
      changed.unsubscribe();
      notifications.stop();
      silence();
    };
  }, [client, onChange]);
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

function showInIcon(open: number): void {
  const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  if (icon) icon.href = open === 0 ? "/favicon.svg" : `/favicon.svg?open=${Math.min(open, 100)}`;
}
