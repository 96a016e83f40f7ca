export const english = {
  title: "Welcome. Four steps to the first notification",
  complete: "Everything is set up",
  later: "Not now",
  close: "Close",
  done: "done",
  look: "See why there is no picture yet",
  steps: {
    facility: {
      title: "Add a facility",
      text: "A site with cameras, such as a plant. Alerts are counted by its local days.",
      action: "Add a facility",
    },
    camera: {
      title: "Add a camera",
      text: "By the URL of its stream, or by a picture of what it sees.",
      action: "Add a camera",
    },
    rule: {
      title: "Draw a zone and add a rule",
      text: "The rule says what is looked for in the zone, and whom it tells: enter your own address.",
      action: "Add a rule",
    },
    test: {
      title: "Send yourself a test",
      text: "On the card of the rule, press “Send a test”.",
      action: "Go to the rule",
    },
  },
};
