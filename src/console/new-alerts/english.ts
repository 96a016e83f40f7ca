import { withText } from "../../platform/text/plural.js";
export const english = {
  title: "New alerts, in this browser",
  text: "While the console is open in a tab, its title and icon show the number of open alerts. It can also tell you of new ones:",
  notification: "Show a notification while the tab is in the background",
  notificationShown: "New alerts will look like this",
  notificationDenied:
    "The browser blocks notifications of this page. Allow them in the browser's settings for this page, then choose again.",
  notificationMissing: "This browser shows no notifications of this page. They need HTTPS, and a computer.",
  sound: "Play a sound",
  soundHint: "After the page is loaded, browsers stay silent until you click or press a key in it.",
  many: withText("# more new alerts"),
};
