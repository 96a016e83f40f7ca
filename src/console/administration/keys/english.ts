/** The texts about API keys in English. Every other language has the same keys. */
export const english = {
  addTitle: "Create an API key",
  empty: "No API keys yet",
  emptyText: "Devices and programs sign in with a key, such as a detector that records alerts.",
  search: "Search for keys",
  name: "Name",
  permissions: "What it may do",
  limit: "Where",
  everywhere: "At all facilities",
  facilityCount: (facilities: number) => (facilities === 1 ? "1 facility" : `${facilities} facilities`),
  expires: "Expires",
  never: "never",
  lastUsed: "Last used",
  expired: "Expired",
  revoked: "Revoked",
  active: "Active",
  showEnded: "Show ended keys",
  editTitle: (name: string) => `Change “${name}”`,
  fixed:
    "What a key may do and where cannot be changed: create another key for that. The expiry ends all secrets of the key.",
  hasEnded: "This key was revoked or has expired, and cannot be changed any more.",
  rotate: "Rotate",
  rotateTitle: (name: string) => `Give “${name}” a new secret?`,
  rotateText: "The old secret works for another 24 hours, so that devices can be changed meanwhile.",
  revoke: "Revoke",
  revokeTitle: (name: string) => `Revoke “${name}”?`,
  revokeText:
    "Whatever uses this key loses access at once, with its current secret as with one from before it was rotated. A revoked key cannot be brought back.",
  wasRevoked: (name: string) => `“${name}” was revoked.`,
  created: "The key was created",
  createdText: "Copy it now: it is not shown again.",
  key: "Key",
  tryIt: "Try it",
  problems: {
    name: "Enter 1 to 200 printable characters.",
    permissions: "Choose at least one permission.",
    facilityIds: "Choose at most 1000 facilities.",
    expiresAt: "Enter a time in the future.",
  },
};

export type KeyTexts = typeof english;
