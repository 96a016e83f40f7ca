import type { CameraRuleFragment, DeliveryChannel, RulesCameraFragment } from "../../generated/console.js";
import { keysOf } from "../../platform/record.js";

interface Channel {
  /** The targets that a rule itself names, which get its tests. */
  own: (rule: CameraRuleFragment) => readonly string[];
  ofCamera?: (camera: RulesCameraFragment) => readonly string[];
  ignoresCase?: true;
  /** Whether a rule has turned its targets off. */
  isOff?: (rule: CameraRuleFragment) => boolean;
  /** Whether its targets hear of observations, too. */
  hearsObservations?: true;
  /** Whether its messages are signed, where they can be. */
  isSigned?: (rule: CameraRuleFragment) => boolean;
}

export const channels: Readonly<Record<DeliveryChannel, Channel>> = {
  EMAIL: {
    own: ({ emails }) => emails,
    ofCamera: ({ emailAddresses }) => emailAddresses,
    ignoresCase: true,
  },
  SMS: { own: ({ phoneNumbers }) => phoneNumbers },
  WEBHOOK: {
    own: ({ apiNotification }) => (apiNotification ? [apiNotification.url] : []),
    isOff: ({ apiNotification }) => apiNotification?.enabled === false,
    hearsObservations: true,
    isSigned: ({ apiNotification }) => apiNotification?.hasSecret === true,
  },
};

export const channelNames = keysOf(channels);
