export const StatusSource = {
  TRACKER: "TRACKER",
  DASHBOARD: "DASHBOARD",
  CLIENT: "CLIENT",
  ON_PREMISE_FACILITY: "ON_PREMISE_FACILITY",
  FEED: "FEED",
} as const;
export type StatusSource = (typeof StatusSource)[keyof typeof StatusSource];

/** The sources that callers may name. The gateway alone names the feed. */
export const ReportedStatusSource = {
  TRACKER: StatusSource.TRACKER,
  DASHBOARD: StatusSource.DASHBOARD,
  CLIENT: StatusSource.CLIENT,
  ON_PREMISE_FACILITY: StatusSource.ON_PREMISE_FACILITY,
} as const;
