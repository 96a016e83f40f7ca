let title = document.title;
let openAlerts = "";

const show = () => {
  document.title = openAlerts ? `(${openAlerts}) ${title}` : title;
};

export function setPageTitle(text: string): void {
  title = text;
  show();
}

/** Puts the number of open alerts before the page's title; an empty text takes it away. */
export function setOpenAlertsInTitle(text: string): void {
  openAlerts = text;
  show();
}
