/** The texts of Insight that no other view has. */
export const english = {
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
  alerts: "Alerts",
  usual: "Usual",
  past: "4 weeks before",
};

/** The texts of Insight, in any language. */
export type InsightTexts = typeof english;
