import { plural, withText } from "../../platform/text/plural.js";

const count = plural("en");

export const english = {
  save: "Save this view",
  noneText: "Choose filters for the alerts, the insight or the cameras, and save them under a name.",
  nameHint: "such as Open at the gate",
  taken: withText("“#” is saved already. Saving replaces what it shows."),
  replace: "Replace",
  replaceByShown: "Replace its filters by those that are set now",
  link: "Link",
  linkHint:
    "Whoever opens the link sees the same filters, with the alerts and cameras that are open to them.",
  unknownView: "This version of the console has no such view.",
  saved: withText("“#” is saved."),
  changed: withText("“#” was changed."),
  problems: {
    name: "A name has 1 to 200 printable characters.",
    query: "These filters are too many to be saved: choose fewer.",
    tooMany: count("There are # saved views, as many as there can be. Delete one first."),
    taken: "There is a saved view of this name already.",
    gone: "This saved view was deleted meanwhile. Save it under a name of its own.",
  },
};

export type SavedViewTexts = typeof english;
