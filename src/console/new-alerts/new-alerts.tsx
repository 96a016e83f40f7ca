import { useCallback, useEffect, useRef } from "react";
import { useClient, useQuery } from "urql";
import {
  ChangedAlertDocument,
  NewAlertDocument,
  OpenAlertCountDocument,
  type RaisedAlertFragment,
} from "../../generated/console.js";
import { useReconnections } from "../data/connection.js";
import { useThrottled } from "../data/throttled.js";
import { useLanguage } from "../language/language.js";
import { setOpenAlertsInTitle } from "../shell/page-title.js";
import { part } from "../shell/part.js";
import { isChosen, useIsChosen } from "./choices.js";

const AlertTeller = part(() => import("./alert-teller.js"), "AlertTeller");

/** The minimum time between two counts of the open alerts, in milliseconds. */
const countInterval = 2_000;

/**
 * Shows the number of open alerts in the browser's tab, and tells of new ones as the reader has chosen.
 * Shows nothing in the page.
 */
export function NewAlerts() {
  const { formats } = useLanguage();
  const [{ data }, count] = useQuery({ query: OpenAlertCountDocument });
  const countSoon = useThrottled(() => count({ requestPolicy: "network-only" }), countInterval);
  // What tells of them may still be loading.
  const toTell = useRef<RaisedAlertFragment[]>([]);
  const tell = useRef(() => {});
  const onRaised = useCallback((alert: RaisedAlertFragment) => {
    if (!isChosen("notification") && !isChosen("sound")) return;
    toTell.current.push(alert);
    tell.current();
  }, []);
  useAlertEvents(countSoon, onRaised);
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
  const isTold = [useIsChosen("notification"), useIsChosen("sound")].includes(true);
  return isTold ? <AlertTeller alerts={toTell} tell={tell} /> : null;
}

/** Follows alerts. Calls `onRaised` with new ones, but observations, which need nobody. */
function useAlertEvents(onChange: () => void, onRaised: (alert: RaisedAlertFragment) => void) {
  const client = useClient();
  useEffect(() => {
    const events = [
      client.subscription(NewAlertDocument, {}).subscribe(({ data }) => {
        if (!data) return;
        onChange();
        if (!data.alertRaised.observation) onRaised(data.alertRaised);
      }),
      client.subscription(ChangedAlertDocument, {}).subscribe(({ data }) => data && onChange()),
    ];
    return () => {
      for (const { unsubscribe } of events) unsubscribe();
    };
  }, [client, onChange, onRaised]);
}

function showInIcon(open: number) {
  const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  if (icon) icon.href = open === 0 ? "/favicon.svg" : `/favicon.svg?open=${Math.min(open, 100)}`;
}
