/** The texts of the review in English. Every other language has the same keys. */
export const english = {
  start: "Review",
  startAll: "Review the open alerts",
  startHint: "Go through the open alerts, one picture at a time",
  acknowledgeAndGoOn: "Acknowledge, and go on to the next alert",
  goOn: "Acknowledge and go on",
  doneTitle: "Nothing is left to review",
  doneText: "No alert is open here. New ones appear as they are raised.",
  back: "Back to the stream",
};
