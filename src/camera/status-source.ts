/** The source of a camera's status detail. */
export const StatusSource = {
  TRACKER: "TRACKER",
  DASHBOARD: "DASHBOARD",
  CLIENT: "CLIENT",
  ON_PREMISE_FACILITY: "ON_PREMISE_FACILITY",
} as const;
export type StatusSource = (typeof StatusSource)[keyof typeof StatusSource];
