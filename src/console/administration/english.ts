/** The texts of the settings in English. Every other language has the same keys. */
export const english = {
  parts: {
    label: "Settings",
    facilities: "Facilities and cameras",
    people: "People",
    apiKeys: "API keys",
    connectors: "Connectors",
    notifications: "Notifications",
    auditLog: "Audit log",
    workspace: "Workspace",
    profile: "Profile",
  },
  actions: { edit: "Edit", delete: "Delete" },
  adding: {
    facility: "Add a facility",
    camera: "Add a camera",
    cameras: "Add cameras from a CSV",
    person: "Invite somebody",
    key: "Create a key",
  },
  saved: "Saved.",
  permissions: {
    "facilities:read": "See facilities",
    "facilities:write": "Change facilities",
    "cameras:read": "See cameras",
    "cameras:write": "Change and delete cameras, see their passwords",
    "alerts:read": "See alerts",
    "alerts:write": "Record, mark and comment on alerts",
    "alerts:delete": "Delete alerts",
    "alert-rules:write": "Change rules and their targets",
    "users:read": "See people and the audit log",
    "users:write": "Change people and what they may do",
    "api-keys:write": "Change API keys",
  } as Record<string, string>,
};

/** The texts of the settings. */
export type AdministrationTexts = typeof english;
