export const english = {
  title: "Welcome. From here to the first alert",
  complete: "Everything is set up",
  later: "Not now",
  done: "done",
  look: "See why there is no picture yet",
  steps: {
    facility: {
      title: "Add a facility",
      text: "A site with cameras, such as a plant. Alerts are counted by its local days.",
    },
    camera: { title: "Add a camera", text: "By the URL of its stream, or by a picture of what it sees." },
    rule: {
      title: "Draw an area and add a rule",
      text: "The rule says what is looked for in the area, and whom it tells.",
      action: "Add a rule",
    },
    test: {
      title: "Send yourself a test",
      text: "Whoever the rule tells gets a message with the picture of the camera and the area.",
      action: "Send a test",
      look: "Go to the rule",
    },
    source: {
      title: "Where alerts come from",
      text: "A detector says what it sees, and the rule makes alerts of it. This is done with its first frame.",
      action: "Create a key for a detector",
      command: "Try it without a detector: this command sends what the rule looks for",
      connectors:
        "Frigate and Axis need a connector at the site, which reaches their MQTT broker and this gateway: see docs/connectors.md.",
      connect: "Write its configuration",
      alert: "See the alert",
    },
    invite: { title: "Invite colleagues", text: "Each with what they need: as a guard, for example." },
  },
};
