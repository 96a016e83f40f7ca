import { byName } from "../../language/by-name.js";
import { withText } from "../../language/plural.js";
export const english = {
  facilities: {
    search: "Search for facilities",
    empty: "No facilities yet",
    emptyText: "A facility is a site with cameras, such as a plant. Alerts are counted by its local days.",
    noMatch: "No facility matches.",
    address: "Address",
    timeZone: "Time zone",
    timeZoneHint: "as in Europe/Berlin",
    movedTimes: (rules: number) =>
      `Days, also of alerts that are recorded already, ${rules === 0 ? "" : `and the hours of ${rules === 1 ? "1 rule" : `${rules} rules`} `}go by the new time zone from now on.`,
    latitude: "Latitude",
    longitude: "Longitude",
    heartbeats: {
      never: "It sends no heartbeats: the state of its cameras comes from the cameras alone.",
      heeded: "Without heartbeats, it counts as offline.",
      ignored: "Its heartbeats are ignored: the state of its cameras comes from the cameras alone.",
      ignore: "Ignore heartbeats",
      heed: "Heed heartbeats",
    },
    deleteText: (cameras: number) =>
      `${cameras === 1 ? "Its camera" : `Its ${cameras} cameras`}, all their alerts, comments, rules and pictures disappear from every view at once, and are then deleted. Permissions there end, and API keys that are limited to it see nothing any more. This cannot be undone.`,
    deleteCheck: withText("Enter “#” to confirm"),
    problems: {
      name: "Enter 1 to 200 printable characters.",
      address: "Enter at most 500 characters.",
      timeZoneId: "Enter the name of a time zone, such as Europe/Berlin.",
      geographicCoordinates: "Enter both: a latitude from -90 to 90, and a longitude from -180 to 180.",
    },
  },
  cameras: {
    addTitle: withText("Add a camera to “#”"),
    empty: "This facility has no cameras yet",
    emptyText: "Add a camera by the URL of its stream, or by a picture.",
    list: withText("Cameras of #"),
    search: "Search for cameras",
    noMatch: "No camera matches.",
    source: "How its pictures come",
    byUrl: "By the URL of its stream",
    byPicture: "By a picture that is uploaded",
    picture: "Picture",
    pictureHint: "JPEG, PNG or WebP",
    url: "URL",
    urlHint: "rtsp, rtmp, rtmps, http or https",
    user: "User",
    password: "Password",
    showPassword: "Show the password",
    showSecrets: "Show all of it",
    streamType: "Connection",
    streamTypes: byName({
      DIRECT: "Direct",
      VPN: "Through a VPN",
      PROXY: "Through a proxy",
      ALTPROXY: "Through a proxy of another kind",
      HOSTEDSERVER: "From a hosted server",
      CLIENT: "Pictures are uploaded",
    }),
    emailAddresses: "Email addresses for alerts and outages",
    note: "Note",
    device: "Device and pictures",
    streamProtocol: "Protocol",
    facilityNodeId: "Device at the facility",
    facilityNodeIdHint: "its ID",
    width: "Width of the pictures",
    height: "Height of the pictures",
    onePerLine: "one per line",
    deletedSelected: (count: number) => `${count} cameras were deleted.`,
    restorable: "The audit log restores what was deleted for 30 days, without its alerts.",
    select: withText("Select #"),
    selectAll: "Select all",
    deleteSelected: (count: number) => (count === 1 ? "Delete 1 camera" : `Delete ${count} cameras`),
    deleteTexts:
      "Their alerts, comments, rules, zones and pictures disappear from every view at once. Alerts are then deleted; the rest can be restored for 30 days, in the audit log.",
    deleteText:
      "Its alerts, comments, rules, zones and pictures disappear from every view at once. Alerts are then deleted; the rest can be restored for 30 days, in the audit log.",
    problems: {
      name: "Enter 1 to 200 printable characters.",
      url: "Enter an rtsp, rtmp, rtmps, http or https URL of at most 2048 characters. *** can only stand for a password that is kept.",
      streamType: "Choose how the stream is reached.",
      image: "Choose a JPEG, PNG or WebP picture.",
      streamProtocol: "Choose a protocol.",
      facilityNodeId: "Enter the ID of a device, a UUID, or nothing.",
      imageDimensions: "Enter width and height in pixels, both from 1 to 1,000,000.",
      note: "Enter at most 2000 characters.",
      emailAddresses: (address: string | undefined) =>
        address === undefined ? "Enter at most 50 addresses." : `“${address}” is not an email address.`,
    },
  },
  firstPicture: {
    title: withText("First picture of “#”"),
    waiting: withText("The camera was saved. Its stream at # is being opened …"),
    late: "This takes longer than usual. You may close this: the camera’s page shows the picture once it comes.",
    arrived: "The first picture has come.",
    failed: "The camera was saved, but there is no picture yet. It is tried again as long as you wait.",
    change: "Change the camera",
  },
  cameraExport: {
    text: "The file has the addresses of all cameras, with the users and passwords of their streams in plain text, and the contacts. Keep it where nobody else can read it, and delete it once you no longer need it.",
    save: (count: number) => (count === 1 ? "Download 1 camera" : `Download ${count} cameras`),
  },
  cameraImport: {
    title: "Add cameras from a CSV",
    back: "Back to the facilities",
    table: "Table",
    hint: (columns: string, most: number) =>
      `Paste it, or drop a file here. The first line names the columns, such as ${columns}; the first two are enough if there is one facility. Export the cameras where they are listed to change them here. At most ${most} cameras.`,
    choose: "Choose a file",
    example: "Download an example",
    preview: "Cameras of the table",
    ready: (count: number) =>
      count === 0
        ? "Every camera of the table is there already."
        : `${count === 1 ? "1 camera" : `${count} cameras`} will be saved.`,
    present: (count: number) =>
      count === 1
        ? "1 is there already, just as in the table, and is left out."
        : `${count} are there already, just as in the table, and are left out.`,
    unread: withText("Columns that are not read: #."),
    otherSecret: "another password or secret",
    wrong: (count: number) =>
      `${count === 1 ? "1 line is" : `${count} lines are`} not right, and will be left out.`,
    saveReturned: (count: number) =>
      count === 1 ? "Download this line with the reason" : `Download these ${count} lines with the reasons`,
    reason: "Reason",
    line: (line: number, problem: string) => `Line ${line}: ${problem}`,
    save: (count: number) => (count === 1 ? "Save 1 camera" : `Save ${count} cameras`),
    progress: "Cameras that were saved",
    running: (count: number) =>
      `${count === 1 ? "1 camera is" : `${count} cameras are`} being saved. Leaving this page stops after the current one.`,
    created: (count: number) => `${count === 1 ? "1 camera was" : `${count} cameras were`} saved.`,
    refused: (count: number) =>
      `The gateway refused ${count === 1 ? "1 camera" : `${count} cameras`}; the table below says why.`,
    interrupted: (left: number) =>
      `${left === 1 ? "1 camera is" : `${left} cameras are`} still missing. Going on adds none twice.`,
    goOn: (left: number) => (left === 1 ? "Go on with the last camera" : `Go on with the other ${left}`),
    change: "Change the table",
    lineHead: "Line",
    facility: "Facility",
    state: "State",
    states: {
      new: "Will be added",
      changing: "Will be changed",
      waiting: "Not yet saved",
      created: "Saved",
      refused: withText("Refused: #"),
    },
    problems: {
      empty: "There is no camera in the table.",
      tooLong: "The table has more than 1 MB.",
      tooMany: (most: number) => `The table has more than ${most} cameras. Divide it.`,
      noColumns: withText("These columns are missing: #."),
      quotes: "A quotation mark does not fit.",
      name: "The name must have 1 to 200 printable characters.",
      url: "The URL must be an rtsp, rtmp, rtmps, http or https URL of at most 2048 characters without white space.",
      streamType: (given: string, allowed: string) =>
        `There is no streamType “${given}”. Allowed are ${allowed}.`,
      facility: (name: string) =>
        name === "" ? "The facility is missing." : `There is no facility “${name}”.`,
      moved: "A camera stays at its facility.",
      severalFacilities: withText(
        "Several facilities have the name “#”. Give the ID of the facility instead.",
      ),
      contact: "A contact needs a name.",
      forbidden: withText("You may not add cameras to “#”."),
      sameName: (name: string, line: number) =>
        `Line ${line} has the name “${name}” at the same facility already.`,
      sameUrl: (line: number) => `Line ${line} has the same URL already.`,
      nameExists: (name: string, facility: string) =>
        `“${facility}” already has a camera “${name}”, with another URL.`,
      urlExists: "Another camera already has this URL.",
    },
  },
};

export type FacilityTexts = typeof english;
