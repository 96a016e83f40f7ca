/** The texts around the picture of an alert in English. Every other language has the same keys. */
export const english = {
  group: "Picture",
  enlarge: "Enlarge",
  reduce: "Reduce",
  whole: "Whole picture",
  left: "Further left",
  right: "Further right",
  up: "Further up",
  down: "Further down",
  percent: (scale: number) => `${Math.round(scale * 100)}%`,
  withoutDrawing: "Hold: without zone and points",
  download: "Picture",
  downloadDrawn: "With zone",
  drawn: "zone",
  copyLink: "Copy link",
  copied: "Copied",
  link: "Link to this alert",
  neighbours: "Just before and after on this camera",
  noNeighbours: "This camera has no other alert.",
  earlier: (duration: string) => `${duration} earlier`,
  later: (duration: string) => `${duration} later`,
};

/** The texts around the picture of an alert. */
export type PictureTexts = typeof english;
