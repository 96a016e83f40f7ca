/** What the states of cameras are called, in messages and in the console. A file for each language: readers wait for one. */
export const statesInEnglish = {
  FACILITY_OFFLINE: "Facility offline",
  NO_STREAM: "No stream",
  FAULT_REPORTED: "Fault reported",
  NEVER_CONNECTED: "Never connected",
  PICTURE_OLD: "Old picture",
  WORKING: "Working",
};
