import { plural } from "../language/plural.js";

const number = new Intl.NumberFormat("en");
const count = plural("en", number);

/** The texts about alerts, in English. Every other language has the same keys. */
export const english = {
  total: (alerts: number) => count(alerts, { one: "# alert", other: "# alerts" }),
  newAlerts: (alerts: number) => count(alerts, { one: "# new", other: "# new" }),
  select: (type: string, camera: string) => `Select: ${type}, ${camera}`,
  selection: "Selection",
  selected: (alerts: number) => count(alerts, { one: "# selected", other: "# selected" }),
  none: "No alerts yet",
  noneText: "They appear here as soon as a detector reports one.",
  noMatch: "No alert matches",
  noMatchText: "Fewer filters or a longer period may show some.",
  clearFilters: "Clear all filters",
  listed: (first: number, last: number, total: number) =>
    `Alerts ${number.format(first)} to ${number.format(last)} of ${number.format(total)}; the others are not on this printout.`,
  noPicture: "No picture",
  pictureElsewhere: "Picture elsewhere",
  pictureFailed: "The picture could not be loaded",
  openPicture: "Open picture",
  pictureOf: (type: string, camera: string) => `${type}: picture of ${camera}`,
  drawing: "Zone and points",
  layout: { label: "Layout", grid: "Grid", list: "List" },
  filters: {
    period: "Period",
    endsBeforeStart: "“Until” is not after “From”: no alert can lie between them.",
    facility: "Facility",
    camera: "Camera",
    moreCameras: (cameras: number) =>
      count(cameras, { one: "and # more: search", other: "and # more: search" }),
    type: "Type",
    severity: "Severity",
    marks: "Marks",
    rule: "One rule or area",
    all: "All",
    open: "Open",
    openness: { true: "Open only", false: "Not open" },
    hasSeverity: { true: "With a severity", false: "Without a severity" },
    observation: "Observations",
    observations: { true: "Observations only", false: "No observations" },
  },
  marks: {
    acknowledged: {
      set: "Acknowledge",
      remove: "Withdraw the acknowledgement",
      is: "Acknowledged",
      isNot: "Not acknowledged",
    },
    bookmark: { set: "Bookmark", remove: "Remove the bookmark", is: "Bookmarked", isNot: "Not bookmarked" },
    falsePositive: {
      set: "False positive",
      remove: "No false positive",
      is: "False positive",
      isNot: "No false positive",
    },
  },
  markedBy: (mark: string, author: string) => `${mark} by ${author}`,
  done: {
    acknowledged: (alerts: number, isSet: boolean) =>
      `${count(alerts, { one: "# alert", other: "# alerts" })} ${isSet ? "acknowledged" : "no longer acknowledged"}`,
    bookmark: (alerts: number, isSet: boolean) =>
      `${count(alerts, { one: "# alert", other: "# alerts" })} ${isSet ? "bookmarked" : "no longer bookmarked"}`,
    falsePositive: (alerts: number, isSet: boolean) =>
      `${count(alerts, { one: "# alert", other: "# alerts" })} ${isSet ? "marked as false positive" : "no longer marked as false positive"}`,
    comment: (_alerts: number, _isSet: boolean) => "Comment written",
  },
  refused: {
    offline: "Nothing was done: the gateway is out of reach.",
    unseen: "Nothing was done: not all of it had been shown yet.",
  },
  acknowledgeAll: {
    button: "Acknowledge all",
    title: (alerts: number) => `Acknowledge ${count(alerts, { one: "# alert", other: "# alerts" })}?`,
    text: "These match the filter and are not acknowledged yet. Alerts that are raised from now on stay as they are. Afterwards you can undo this.",
    cut: "Even more match: these are the newest ones.",
    confirm: "Acknowledge",
  },
  neighbours: "Neighbouring alerts",
  newer: "Newer",
  older: "Older",
  position: (position: number, total: number) => `${number.format(position)} of ${number.format(total)}`,
  gone: "This alert is not there",
  goneText: "It may have been deleted, or it is not open to you.",
  objects: (objects: number) => count(objects, { one: "# object", other: "# objects" }),
  observation: "Observation",
  rule: "Why it was raised",
  cameraRules: "Rules of the camera",
  sameRule: "All alerts of this rule",
  noRule: "It was raised without a rule.",
  ruleDeleted: "Its rule has been deleted.",
  comments: (comments: number) => count(comments, { one: "# comment", other: "# comments" }),
  comment: "Write a comment",
  send: "Send",
  deletion: {
    button: "Delete this alert",
    title: "Delete this alert?",
    text: "Its picture and its comments are deleted as well, and it no longer counts. This cannot be undone.",
    confirm: "Delete",
  },
  edited: "edited",
  editComment: "Change this comment",
  deleteComment: "Delete this comment",
  delivery: {
    title: "Who was told",
    none: "Nobody was notified.",
    forgotten: "It is not known any more: what was sent is kept for 30 days.",
    channels: { EMAIL: "Email", SMS: "Text message", WEBHOOK: "Webhook" },
    states: { PENDING: "Waiting", SENT: "Sent", PARKED: "Given up" },
  },
  keys: {
    next: "Next alert",
    previous: "Previous alert",
    close: "Back to the stream",
    undo: "Undo",
    select: "Select the alert",
    clearSelection: "Select none",
    layout: "Grid or list",
    showNew: "Show new alerts",
    comment: "Write a comment",
  },
};

/** The texts about alerts, in any language. */
export type AlertTexts = typeof english;
