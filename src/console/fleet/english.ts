import { plural, withText } from "../../platform/text/plural.js";

const count = plural("en");

export const english = {
  onlineWith: (concerning: number) =>
    concerning === 0 ? "Online" : count("Online, # needs attention", "Online, # need attention")(concerning),
  offlineSince: withText("Offline, last seen #"),
  workingWith: (concerning: number) =>
    concerning === 0 ? "No problems" : count("# needs attention", "# need attention")(concerning),
  localTime: "Local time",
  zoneUnknown: (zone: string, used: string) =>
    `The gateway does not know the time zone ${zone}: times and days go by ${used}.`,
  zoneUnknownHere: withText("This browser does not know the time zone #: times are in UTC."),
  today: count("# alert today", "# alerts today"),
  yesterday: count("# yesterday by this time"),
  state: "State",
  concern: "Needs attention",
  stateAges: {
    FACILITY_OFFLINE: withText("Facility last seen #"),
    NO_STREAM: withText("Stream lost #"),
    FAULT_REPORTED: withText("Reported #"),
    NEVER_CONNECTED: withText("Added #"),
    PICTURE_OLD: withText("Last picture #"),
    WORKING: withText("Picture #"),
  },
  noMatchText: "Another search or fewer filters may find it.",
  clearFilters: "Clear all filters",
  newestAlert: "Newest alert",
  noAlerts: "No alerts yet",
  keyConcern: "Show only what needs attention, or everything",
  noPicture: "No picture yet",
  pictureElsewhere: "Open picture",
  pictureOf: withText("Latest picture of #"),
};
