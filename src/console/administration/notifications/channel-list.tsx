import type { DeliveryChannel } from "../../../generated/console.js";
import { useAlertTexts } from "../../alerts/texts.js";
import { channelNames } from "../../rules/channels.js";
import { Fact } from "../../shell/fact.js";
import { useTexts } from "./texts.js";

export function ChannelList({ setUp }: { setUp: readonly DeliveryChannel[] }) {
  const alertTexts = useAlertTexts();
  const notifications = useTexts();
  return (
    <>
      <h3>{notifications.channels}</h3>
      <dl className="setting-facts">
        {channelNames.map((each) => (
          <Fact key={each} label={alertTexts.delivery.channels[each]}>
            {setUp.includes(each) ? notifications.setUp : notifications.missing[each]}
          </Fact>
        ))}
      </dl>
    </>
  );
}
