import type { CameraRuleFragment, DeliveryChannel, RulesCameraFragment } from "../../generated/console.js";

/** What distinguishes a channel of notifications. */
interface Channel {
  /** The targets that a rule itself names, which get its tests. */
  own: (rule: CameraRuleFragment) => readonly string[];
  /** The targets that its camera names. */
  ofCamera?: (camera: RulesCameraFragment) => readonly string[];
  ignoresCase?: true;
  /** Whether a rule has turned its targets off. */
  isOff?: (rule: CameraRuleFragment) => boolean;
  /** Whether its targets hear of observations, too. */
  hearsObservations?: true;
  /** Whether its messages are signed, where they can be. */
  isSigned?: (rule: CameraRuleFragment) => boolean;
}

/** The channels of notifications. */
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

/** All channels, in the order in which they are shown. */
export const channelNames = Object.keys(channels) as readonly DeliveryChannel[];
