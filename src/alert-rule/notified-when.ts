/**
 * When the gateway notifies the addresses and numbers of a rule, for their descriptions
 * in the schema.
 */
export const notifiedWhen = (channel: string) =>
  `Used for alerts that are not observations, while the rule's \`status\` is ACTIVE, and only if \`Workspace.deliveryChannels\` lists ${channel}.`;
