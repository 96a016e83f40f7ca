export const english = {
  snooze: "Snooze",
  title: (name: string) => `Snooze “${name}”`,
  effects: {
    camera:
      "Nobody is told of its alerts, and rules that the gateway evaluates raise none. Outages are told nevertheless.",
    rule: "Nobody is told of its alerts. If the gateway evaluates it, it raises none.",
  },
  howLong: "For how long?",
  choices: {
    hour: "1 hour",
    tomorrow: (time: string) => `Until tomorrow, ${time}`,
    day: "1 day",
    time: "Until",
  },
  time: "Day and time",
  facilityTime: (zone: string) => `at the facility (${zone})`,
  problems: { until: "Choose a time in the next 30 days." },
  until: "Snoozed until",
  by: (person: string) => `by ${person}`,
  change: "Change the snooze",
  end: "End the snooze",
};
