import { plural, withText } from "../../platform/text/plural.js";

const count = plural("en");

export const english = {
  snooze: { camera: "Snooze", facility: "Snooze the facility", rule: "Snooze" },
  submit: "Snooze",
  title: withText("Snooze “#”"),
  effects: {
    camera:
      "Nobody is told of its alerts, and rules that the gateway evaluates raise none. Outages are told nevertheless.",
    facility:
      "Its cameras are snoozed, all of them: nobody is told of their alerts, and rules that the gateway evaluates raise none. Outages are told nevertheless.",
    rule: "Nobody is told of its alerts. If the gateway evaluates it, it raises none.",
  },
  howLong: "For how long?",
  choices: {
    hour: "1 hour",
    tomorrow: withText("Until tomorrow, #"),
    day: "1 day",
    time: "Until",
  },
  time: "Day and time",
  facilityTime: withText("at the facility (#)"),
  ownTime: withText("by your clock (#)"),
  from: "From",
  fromHint: withText("now, unless given (#)"),
  reason: "Reason",
  problems: {
    from: "Choose a time before the end.",
    until: "Choose a time in the next 30 days.",
    reason: "Enter at most 200 characters.",
  },
  until: "Snoozed until",
  fromUntil: ["Will be snoozed from", "until"],
  whose: { camera: "Camera:", facility: "Facility:" },
  selection: {
    snooze: "Snooze cameras",
    effect:
      "Nobody is told of their alerts, and rules that the gateway evaluates raise none. Outages are told nevertheless.",
    all: "Select all",
    missing: "Choose at least one camera.",
    done: count("# camera is snoozed.", "# cameras are snoozed."),
  },
  by: withText("by #"),
  change: "Change the snooze",
  end: "End the snooze",
  quiet: "Quiet at present",
};
