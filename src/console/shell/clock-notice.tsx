import "./clock-notice.css";
import { useSyncExternalStore } from "react";
import { onServerTimeChange, serverLead } from "../data/server-time.js";
import { useLanguage } from "../language/language.js";

/** How wrong a clock may be unnoticed, in milliseconds. */
const unnoticed = 60_000;

/**
 * Says that this computer's clock is not the gateway's, which all times and periods here
 * follow.
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
