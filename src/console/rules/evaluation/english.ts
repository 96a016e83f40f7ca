export const english = {
  byGateway: "The gateway evaluates it.",
  byDetector: "The gateway does not evaluate it: the detector itself raises its alerts.",
  lastFrame: "Last frame of a detector",
  noFrame: "No frame of a detector has come yet.",
  unevaluated: "No rule of this camera is evaluated by the gateway, so no alert comes of its frames.",
  allQuiet: "No rule can raise an alert now.",
  quiet: {
    INACTIVE: "Not active: it raises nothing.",
    SNOOZED: "Snoozed now: it raises nothing.",
    OUTSIDE_WINDOW: "Outside its hours now: it raises nothing.",
  },
};
