import { plural } from "../language/plural.js";

const count = plural("en", new Intl.NumberFormat("en"));

/** The texts of the insight in English. Every other language has the same keys. */
export const english = {
  alerts: (alerts: number) => count(alerts, { one: "# alert", other: "# alerts" }),
  inPeriod: (from: string, until: string) => `${from} – ${until}`,
  overTime: "Alerts over time",
  before: "Period before",
  thisPeriod: "This period",
  change: "Change",
  total: "Total",
  by: "Colour by",
  bySeverity: "Severity",
  byType: "Type",
  per: "Bars per",
  units: { DAY: "Day", WEEK: "Week", MONTH: "Month" },
  otherTypes: "Other types",
  asTable: "Show as a table",
  hours: "Hour and day of the week",
  hoursHint: "By the clock of each facility.",
  nightHoursHint: "By the clock of each facility. The hours after midnight count to the day before.",
  hourOf: (weekday: string, from: string, alerts: string) => `${weekday}, from ${from}: ${alerts}`,
  busiest: "Busiest cameras",
  heatmap: "Where in the picture",
  heatmapCamera: "Camera",
  heatmapLabel: (camera: string, alerts: string) => `Picture of ${camera} with the places of ${alerts}`,
  heatmapBasis: (alerts: string) => `Drawn from ${alerts} that say where.`,
  heatmapNone: "No alert of this camera in this period says where it was raised.",
  heatmapSlow: "Counting took too long. A shorter period may help.",
  thirds: ["Left", "Middle", "Right"],
  rowsOfThirds: ["Top", "Centre", "Bottom"],
  empty: "No alerts in this period",
  emptyText: "A longer period or fewer filters may show some.",
  worstHour: (from: string, until: string, alerts: string) => `Worst hour: ${from} – ${until}, ${alerts}`,
  hourSum: (from: string, alerts: string) => `All days, from ${from}: ${alerts}`,
  daySum: (weekday: string, alerts: string) => `${weekday}, all hours: ${alerts}`,
  sum: "Sum",
  facilities: "Facilities side by side",
  facility: "Facility",
  showAll: (facilities: number) => `Show all ${facilities}`,
  weekdays: "Weekdays against their own past",
  weekdaysHint:
    "The last seven days that are over everywhere, each beside the same weekday of the four weeks before.",
  day: "Day",
  alertsColumn: "Alerts",
  usual: "Usual",
  past: "4 weeks before",
};

/** The texts of the insight. */
export type InsightTexts = typeof english;
