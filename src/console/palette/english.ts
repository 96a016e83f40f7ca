import { plural, withText } from "../../platform/text/plural.js";

const count = plural("en");

export const english = {
  search: "Search views, cameras, facilities, rules and actions",
  placeholder: "Camera, view, action …",
  results: "Results",
  groups: {
    recent: "Recent",
    views: "Views",
    savedViews: "Saved views",
    facilities: "Facilities",
    actions: "Actions",
    cameras: "Cameras",
    rules: "Rules",
    people: "People",
    alerts: "Alerts",
  },
  found: count("# result", "# results"),
  none: "Nothing matches",
  searching: "Searching …",
  allCameras: (cameras: number, text: string) => `All ${count("#")(cameras)} cameras with “${text}”`,
  alertsWith: withText("Alerts with “#”"),
  periods: { today: "today", yesterday: "yesterday", thisWeek: "this week", lastWeek: "last week" },
  moreRules: count(
    "# more rule: type the name of the camera, too",
    "# more rules: type the name of the camera, too",
  ),
  incomplete: withText("Not everything was searched: #"),
  review: "Review the open alerts",
  snooze: "Snooze cameras",
  playground: "Open the playground",
  docs: "Open the REST page",
  choose: "choose",
  open: "open",
};

export type PaletteTexts = typeof english;
