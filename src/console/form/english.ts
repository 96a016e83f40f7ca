import { withText } from "../../platform/text/plural.js";

export const english = {
  missing: "This is required.",
  unfit: "This does not fit here.",
  atLeast: withText("At least #."),
  atMost: withText("At most #."),
  look: "Nothing was saved: see what is marked.",
  changedMeanwhile: "Somebody else has changed this meanwhile. Nothing was saved.",
  overwrite: "Save mine anyway",
  discardQuestion: "Discard what you have entered?",
  discard: "Discard",
  keepEditing: "Keep editing",
};
