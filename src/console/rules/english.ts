import { plural } from "../language/plural.js";

const number = new Intl.NumberFormat("en");
const count = plural("en", number);

/** The texts of the rules in English. Every other language has the same keys. */
export const english = {
  list: "Rules of the camera",
  none: "This camera has no rules yet.",
  moreCameras: (cameras: number) =>
    count(cameras, { one: "# more: search to find it", other: "# more: search to find them" }),
  add: "Add a rule",
  change: "Change",
  changeTitle: (rule: string) => `Change “${rule}”`,
  delete: "Delete",
  deleteTitle: (rule: string) => `Delete “${rule}”?`,
  deleteText: "Its area and its targets are lost. The alerts that it raised stay.",
  deleted: (rule: string) => `“${rule}” was deleted.`,
  changeArea: "Change the area",
  drawArea: "Draw an area",
  drawing: "Drawing the area",
  saveArea: "Save the area",
  redraw: "Start over",
  closeOutline: "Close the outline",
  corners: "Corners of the area",
  corner: (number: number, of: number, x: number, y: number) => `Corner ${number} of ${of}: ${x}, ${y}`,
  addCorner: (after: number) => `Add a corner after corner ${after}`,
  cornerKeys:
    "Drag a corner, or move it with the arrow keys (faster with Shift). Delete removes it; the small points add another.",
  pen: (corners: number) => `Drawing surface, ${count(corners, { one: "# corner", other: "# corners" })}`,
  penKeys:
    "Click where the corners are, and the first one to close the outline. By keys: the arrows move, Space adds a corner, Backspace takes it back, Enter closes.",
  observation: "An observation: only a webhook is told.",
  inactive: (status: string) => `Not active (${status}): nobody is told.`,
  tellsNobody: "It tells nobody.",
  notSetUp: "Not set up at this gateway: nothing is sent",
  silent: "Not told, as the rule is now",
  nothingSent: "Nothing sent lately",
  states: { SENT: "Last sent", PENDING: "Waiting to be sent since", PARKED: "Given up" },
  testStates: { SENT: "Test sent", PENDING: "Test on its way since", PARKED: "Test given up" },
  sendTest: "Send a test",
  type: "What it looks for",
  object: "Of what",
  objects: { PERSON: "Persons", VEHICLE: "Vehicles" },
  severity: "Severity",
  emails: "Email addresses",
  onePerLine: "one per line",
  phoneNumbers: "Phone numbers",
  phoneHint: "such as +905321234567, one per line",
  webhook: "Webhook",
  webhookHint: "a public http(s) address",
  active: "Active: whoever is named is told",
  problems: {
    emails: (address: string) => `“${address}” is not an email address.`,
    phoneNumbers: (phoneNumber: string) =>
      `“${phoneNumber}” is not a phone number in international format, such as +905321234567.`,
    tooMany: (most: number) => `There can be at most ${number.format(most)}.`,
    webhook: (address: string) => `“${address}” is not an http(s) address.`,
    webhookCredentials: "The address must not contain a user name or a password.",
  },
  saved: "The rule was saved.",
  added: "The rule was added.",
  areaSaved: "The area was saved.",
  newArea: "Zone",
};

/** The texts of the rules. */
export type RuleTexts = typeof english;
