import { plural } from "../language/plural.js";

const count = plural("en");

/** The texts about periods, and about the hours of the day. */
export const english = {
  presets: {
    today: "Today",
    yesterday: "Yesterday",
    lastNight: "Last night",
    thisWeek: "This week",
    lastWeek: "Last week",
    "24h": "Last 24 hours",
    "7d": "Last 7 days",
    "30d": "Last 30 days",
  },
  relativeDay: (days: number) =>
    days === 0 ? "Today" : days === 1 ? "Yesterday" : count(days, "# day ago", "# days ago"),
  always: "All time",
  from: "From",
  to: "Until",
  yourTime: (zone: string) => `Your time, ${zone}`,
  relativeWeek: (weeks: number) =>
    weeks === 0 ? "This week" : weeks === 1 ? "Last week" : count(weeks, "# week ago", "# weeks ago"),
  localDays: "Days, nights and weeks go by the clock of each facility. A night is from 18:00 to 06:00.",
  hours: "Alerts by hour of the day",
  hoursHint: "By the clock of each facility. Choose hours, or drag across several, to see only their alerts.",
  hourOf: (hour: string, alerts: number) => `From ${hour}: ${count(alerts, "# alert", "# alerts")}`,
};
