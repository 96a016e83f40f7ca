import type { DeliveryChannel } from "../../../generated/console.js";
import { useAlertTexts } from "../../alerts/texts.js";
import { useTexts } from "./texts.js";

/** All channels of notifications. */
export const channels: readonly DeliveryChannel[] = ["EMAIL", "SMS", "WEBHOOK"];

/** The channels of this gateway, and what is missing for those that are not set up. */
export function ChannelList({ setUp }: { setUp: readonly DeliveryChannel[] }) {
  const alertTexts = useAlertTexts();
  const notifications = useTexts();
  return (
    <>
      <h3>{notifications.channels}</h3>
      <dl className="setting-facts">
        {channels.map((each) => (
          <div key={each}>
            <dt>{alertTexts.delivery.channels[each]}</dt>
            <dd>{setUp.includes(each) ? notifications.setUp : notifications.missing[each]}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
