/** A line drawing in a square of 24, in the colour of the surrounding text, which states its meaning. */
export const icon = (path: string) => () => (
  <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={path} />
  </svg>
);

export const CloseIcon = icon("M6 6l12 12M18 6L6 18");
export const TodayIcon = icon(
  "M8 12a4 4 0 1 0 8 0a4 4 0 1 0-8 0M12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6L7 7M17 17l1.4 1.4M5.6 18.4L7 17M17 7l1.4-1.4",
);
export const FleetIcon = icon("M3.5 3.5h7v7h-7zM13.5 3.5h7v7h-7zM3.5 13.5h7v7h-7zM13.5 13.5h7v7h-7z");
export const RulesIcon = icon(
  "M5 8l9-3.5l5.5 6l-3 8.5h-10zM3.5 8a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0M12.5 4.5a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0M18 10.5a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0M15 19a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0M5 19a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0",
);
export const SearchIcon = icon("M4.5 11a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0-13 0M16 16l4.5 4.5");
export const AccountIcon = icon(
  "M8 8.5a4 4 0 1 0 8 0a4 4 0 1 0-8 0M4.5 20c1-4 4-5.5 7.5-5.5s6.5 1.5 7.5 5.5",
);
export const WarningIcon = icon("M12 4l9 15.5H3zM12 10v4.5M12 17v.1");
export const AlertIcon = icon("M6 16.5V11a6 6 0 0 1 12 0v5.5l1.5 1.5h-15zM10 20.5h4");
export const AcknowledgeIcon = icon("M5 12.5l4.5 4.5L19 7.5");
export const CodeIcon = icon("M8.5 7l-5 5 5 5M15.5 7l5 5-5 5M13.5 5l-3 14");
export const InsightIcon = icon("M3.5 20.5h17M6 17v-4M11 17V8M16 17v-6M20 17V4.5");
export const SettingsIcon = icon(
  "M4 7h9M17 7h3M4 17h3M11 17h9M13 7a2 2 0 1 0 4 0a2 2 0 1 0-4 0M7 17a2 2 0 1 0 4 0a2 2 0 1 0-4 0",
);
export const SavedViewsIcon = icon(
  "M12 3.5l2.6 5.4 5.9.8-4.3 4.1 1.1 5.9-5.3-2.9-5.3 2.9 1.1-5.9-4.3-4.1 5.9-.8z",
);
export const MoreIcon = icon("M4.7 12h.6M11.7 12h.6M18.7 12h.6");
