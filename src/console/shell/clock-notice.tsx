import "./clock-notice.css";
import { useSyncExternalStore } from "react";
import { onServerTimeChange, serverLead } from "../data/server-time.js";
import { useLanguage } from "../language/language.js";

/** The maximum error of a clock that goes unmentioned, in milliseconds. */
const unnoticed = 60_000;

/**
 * Says that this computer's clock differs from the gateway's. All times and periods in
 * the console follow the gateway's.
 */
export function ClockNotice() {
  const { messages, formats } = useLanguage();
  const lead = useSyncExternalStore(onServerTimeChange, serverLead);
  if (Math.abs(lead) < unnoticed) return null;
  const distance = formats.duration(Math.abs(lead));
  return (
    <p className="clock-notice" role="status">
      {lead > 0 ? messages.clock.behind(distance) : messages.clock.ahead(distance)}
    </p>
  );
}
