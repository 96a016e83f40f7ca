import { englishAlertTypes } from "../../features/alert/english-alert-types.js";
import { statesInEnglish } from "../../features/camera/status/states-in-english.js";
import { byName } from "../../platform/text/by-name.js";
import { plural, withText } from "../../platform/text/plural.js";

const count = plural("en");

/** All texts in English. Every other language has the same keys. */
const inPeriod = {
  visit: "since then",
  lastNight: "last night",
  "24h": "in the last 24 hours",
  "7d": "in the last 7 days",
};

/** The periods of which Today can tell. */
export type TodayPeriod = keyof typeof inPeriod;

export const en = {
  product: "Camera monitoring gateway",
  pages: byName({
    label: "Pages",
    skip: "Skip to the content",
    console: "Console",
    developers: "Developers",
    playground: "Playground",
    docs: "REST",
  }),
  views: {
    label: "Views",
    today: "Today",
    fleet: "Cameras",
    alerts: "Alerts",
    rules: "Rules",
    insight: "Insight",
    settings: "Settings",
    camera: "Camera",
  },
  settings: {
    facilities: "Facilities and cameras",
    people: "People",
    keys: "API keys",
    connectors: "Connectors",
    notifications: "Notifications",
    audit: "Audit log",
    workspace: "Workspace",
    profile: "Profile",
  },
  adding: {
    facility: "Add a facility",
    camera: "Add a camera",
    cameras: "Add cameras from a CSV",
    person: "Invite somebody",
    key: "Create a key",
  },
  palette: "Search and go to",
  savedViews: "Saved views",
  common: {
    alerts: count("# alert", "# alerts"),
    loading: "Loading …",
    retry: "Try again",
    close: "Close",
    clear: "Clear",
    showMore: "Show more",
    more: "More",
    andMore: count("and # more"),
    unknown: "Unknown",
    undo: "Undo",
    undone: "Undone.",
  },
  forms: {
    cancel: "Cancel",
    save: "Save",
    name: "Name",
    change: "Change",
    delete: "Delete",
    editTitle: withText("Change “#”"),
    deleteTitle: withText("Delete “#”?"),
    added: withText("“#” was added."),
    deleted: withText("“#” was deleted."),
  },
  account: {
    label: "Account",
    key: "API key",
    workspace: withText("Workspace #"),
    language: "Language",
    theme: "Appearance",
    themes: { system: "As the system", light: "Light", dark: "Dark" },
    signedOut: "Not signed in",
    signIn: "Sign in",
    signOut: "Sign out",
  },
  keys: {
    title: "Keyboard shortcuts",
    everywhere: "Everywhere",
    show: "Show these keys",
    on: "Listen to these keys",
    thenKey: "then",
    goTo: withText("Go to #"),
  },
  connection: {
    lost: "Connection lost. What you see may be out of date, and is brought up to date when it is back. Trying again …",
    back: "Connected again.",
  },
  clock: {
    behind: withText(
      "The clock of this computer is # behind the gateway's. Times and periods here follow the gateway.",
    ),
    ahead: withText(
      "The clock of this computer is # ahead of the gateway's. Times and periods here follow the gateway.",
    ),
  },
  failures: {
    unreachable: {
      title: "The gateway cannot be reached",
      text: "Check the network. The console tries again by itself.",
    },
    unavailable: {
      title: "The gateway cannot answer right now",
      text: "It is busy, or something that it needs is away. The console tries again by itself.",
    },
    unrenewed: {
      title: "Your sign-in could not be renewed",
      text: "The identity provider does not answer. The console tries again by itself.",
    },
    limited: {
      title: "Too many requests",
      text: "The limit of requests is used up for the moment. Try again in a minute.",
    },
    forbidden: {
      title: "This is not open to you",
      text: "Your account lacks a permission. An administrator can grant it.",
    },
    invalid: {
      title: "The gateway refused this view",
      text: "The address may name something that does not exist.",
    },
    internal: {
      title: "Something went wrong",
      text: "It is a fault of the gateway, which has logged it. Trying again may help.",
    },
    unexpected: { title: "Something went wrong", text: "Trying again may help." },
  },
  changes: {
    offline:
      "Nothing was done: the gateway is out of reach. Do it again when it is back; nothing is sent later by itself.",
    refused: withText("Nothing was changed: #"),
    unknown: withText("It is not known whether that was done. Look before you do it again: #"),
  },
  broken: {
    updated: {
      title: "This part could not be loaded",
      text: "The gateway was updated. Reload the page to get the new version.",
    },
    part: { title: "This part could not be shown", text: "Reload the page to try again." },
    page: {
      title: "The console cannot be shown",
      text: "Reload the page. If that changes nothing, start over: that forgets what was chosen here and signs you out.",
    },
    reload: "Reload",
    startOver: "Start over",
  },
  notFound: {
    title: "There is no such view",
    text: "The address leads nowhere. It may come from another version.",
    home: "To Today",
    fleet: "To the cameras",
  },
  today: {
    raised: (alerts: number, period: TodayPeriod) =>
      `${count("# alert", "# alerts")(alerts)} raised ${inPeriod[period]}, with false positives and observations`,
    none: (period: TodayPeriod) => `None raised ${inPeriod[period]}`,
    period: {
      label: "Period",
      names: {
        visit: "Since my last visit",
        lastNight: "Last night",
        "24h": "Last 24 hours",
        "7d": "Last 7 days",
      },
    },
    lead: {
      chosen: (period: Exclude<TodayPeriod, "visit">) =>
        `What happened ${inPeriod[period]}, and what needs somebody now.`,
      since: (moment: string, ago: string) =>
        `What happened since you were last here (${moment}, ${ago}), and what needs somebody now.`,
      first: withText("What happened in the last 24 hours, since #, and what needs somebody now."),
      cut: (seen: string, moment: string) =>
        `What happened in the last 31 days, since ${moment}, and what needs somebody now. You were last here on ${seen}.`,
    },
    nothing: "Nothing to do.",
    nothingText: "No alert is open, and every camera works.",
    open: {
      title: "Open alerts",
      raised: (alerts: number, period: TodayPeriod) =>
        `${count("# open alert", "# open alerts")(alerts)} raised ${inPeriod[period]}`,
      none: "None is open",
      inAll: count("# open in all, whenever they were raised"),
    },
    grave: withText("Newest open alerts: #"),
    away: {
      title: "Away",
      cameras: count("# camera needs attention", "# cameras need attention"),
      inState: (state: string, cameras: number) => `${state} ${count("#")(cameras)}`,
      none: "Every camera works",
    },
    night: {
      title: "Last night",
      none: "No alerts",
      times: (from: string, until: string) => `From ${from} to ${until}.`,
      usual: "Usually",
      before: count("# alert in the seven nights before", "# alerts in the seven nights before"),
      unknown: "Nothing to compare with yet.",
    },
    worstHour: {
      title: "Worst hour",
      hour: (from: string, until: string, alerts: number) =>
        `${from} – ${until}: ${count("# alert", "# alerts")(alerts)}`,
      clock: "The hour of the day with most alerts.",
    },
    acknowledged: {
      title: "Acknowledged",
      raised: (alerts: number, period: TodayPeriod) =>
        `${count("#")(alerts)} acknowledged of those raised ${inPeriod[period]}`,
      by: withText("acknowledged by #"),
    },
  },
  fleet: {
    facilities: "Facilities",
    cameras: "Cameras",
    cameraCount: count("# camera", "# cameras"),
    search: "Search cameras",
    states: statesInEnglish,
    noMatch: "No camera matches",
    nothingVisible: "No facility is open to you",
    nothingVisibleText: "Your account has no permission at any facility. An administrator can grant it.",
  },
  apiCalls: {
    title: "What this view is made of",
    show: "API calls of this view",
  },
  facilityClock: (zones: string) => `By the clock of each facility${zones && ` (${zones})`}.`,
  noSeverity: "No severity",
  statusDetails: byName({
    OPERATIONAL: statesInEnglish.WORKING,
    STREAM_ERROR: statesInEnglish.NO_STREAM,
  }),
  severities: byName({ CRITICAL: "Critical", HIGH: "High", MEDIUM: "Medium", LOW: "Low" }),
  alertTypes: englishAlertTypes,
};

export type Messages = typeof en;
