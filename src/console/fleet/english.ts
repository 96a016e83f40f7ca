import { plural } from "../language/plural.js";

const count = plural("en");

export const english = {
  onlineWith: (concerning: number) =>
    concerning === 0 ? "Online" : count(concerning, "Online, # needs attention", "Online, # need attention"),
  offlineSince: (moment: string) => `Offline, last seen ${moment}`,
  workingWith: (concerning: number) =>
    concerning === 0 ? "No problems" : count(concerning, "# needs attention", "# need attention"),
  localTime: "Local time",
  zoneUnknown: (zone: string, used: string) =>
    `The gateway does not know the time zone ${zone}: times and days go by ${used}.`,
  zoneUnknownHere: (zone: string) => `This browser does not know the time zone ${zone}: times are in UTC.`,
  today: (alerts: number) => count(alerts, "# alert today", "# alerts today"),
  usual: (alerts: number, weekday: string) => `usually ${count(alerts, "#")} on a ${weekday}`,
  usualUnknown: "nothing to compare with yet",
  state: "State",
  concern: "Needs attention",
  stateAges: {
    FACILITY_OFFLINE: (moment: string) => `Facility last seen ${moment}`,
    NO_STREAM: (moment: string) => `Stream lost ${moment}`,
    FAULT_REPORTED: (moment: string) => `Reported ${moment}`,
    NEVER_CONNECTED: (moment: string) => `Added ${moment}`,
    PICTURE_OLD: (moment: string) => `Last picture ${moment}`,
    WORKING: (moment: string) => `Picture ${moment}`,
  },
  noMatchText: "Another search or fewer filters may find it.",
  clearFilters: "Clear all filters",
  newestAlert: "Newest alert",
  noAlerts: "No alerts yet",
  keyConcern: "Show only what needs attention, or everything",
};
