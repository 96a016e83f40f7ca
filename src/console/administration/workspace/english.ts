/** The texts about the workspace in English. Every other language has the same keys. */
export const english = {
  title: "Workspace",
  name: "Name of the workspace",
  version: "Version of the gateway",
  problems: { name: "Enter 1 to 200 printable characters." },
};
