import type { LanguageCode } from "../../../platform/text/language.js";
import { later } from "../../../platform/time.js";
import type { AwayPlace, DigestContent, SeverityCounts, ShortList } from "../digest-content.js";
import { digestWords } from "./digest-words.js";
import { layOut, type MailLink, type MailList, type MailMessage } from "./mail-layout.js";
import { localMoment, nameInSubject, presentableText } from "./notification-words.js";

const hourMs = 3_600_000;

interface DigestMailOptions {
  workspaceName: string;
  userId: string;
  language: LanguageCode;
  publicUrl: string;
}

/** The parts of a mail depend on these. */
type DigestInput = DigestContent & DigestMailOptions;

export function digestMail(content: DigestContent, options: DigestMailOptions): MailMessage {
  const { language, userId } = options;
  const words = digestWords[language];
  const input = { ...content, ...options };
  const name = presentableText(options.workspaceName);
  const mail = {
    language,
    subject: `${summary(input)} · ${nameInSubject(name)}`,
    preview: `${words.heading}: ${summary(input)}.`,
    heading: words.heading,
    subheading: name,
    facts: facts(input),
    lists: listsOf(input).filter((list) => list.rows.length > 0),
    links: [
      mainLink(input),
      { label: words.changeDigest, url: inConsole(input, { view: "settings", part: "profile" }) },
    ],
    footer: words.footer,
  };
  return layOut(mail, `digest.${userId}`);
}

/** What matters most, such as `3 open alerts, 1 camera away`. */
function summary({ language, raised, open, awayCameras, awayFacilities }: DigestInput): string {
  const words = digestWords[language];
  const ofAlerts = open > 0 ? words.openAlerts(open) : raised > 0 ? words.noneOpen(raised) : words.noAlerts;
  const parts = [
    ofAlerts,
    awayFacilities.total > 0 && words.awayFacilities(awayFacilities.total),
    awayCameras.total > 0 && words.awayCameras(awayCameras.total),
  ];
  return parts.filter((part) => part !== false).join(", ");
}

function facts(input: DigestInput): { name: string; value: string }[] {
  const { language, timeZoneId, start, end, raised, open, openBySeverity, worstHour, openInAll } = input;
  const words = digestWords[language];
  const momentOf = (instant: Date) => localMoment(instant, timeZoneId, language);
  const from = momentOf(start);
  const found = [
    { name: words.period, value: words.fromTo(`${from.date}, ${from.time}`, momentOf(end).full) },
    { name: words.alerts, value: words.raisedAndOpen(raised, open) },
  ];
  if (open > 0) found.push({ name: words.open, value: severitiesIn(openBySeverity, language) });
  if (worstHour) {
    const [first, last] = [worstHour.start, later(worstHour.start, hourMs)].map(momentOf);
    const value = words.hour(first?.time ?? "", last?.time ?? "", worstHour.raised);
    found.push({ name: words.worstHour, value });
  }
  if (openInAll > open) found.push({ name: words.openInAll, value: String(openInAll) });
  return found;
}

const severitiesIn = (counts: SeverityCounts, language: LanguageCode): string =>
  counts.map(({ severity, count }) => digestWords[language].severities[severity](count)).join(", ");

/** A list that names some of its items, and counts the others. */
const shortListOf = <Item>(
  heading: string,
  { items, total }: ShortList<Item>,
  rowOf: (item: Item) => MailList["rows"][number],
  further: (count: number) => string,
): MailList => ({
  heading,
  rows: items.map(rowOf),
  remainder: total > items.length ? further(total - items.length) : null,
});

function listsOf(input: DigestInput): MailList[] {
  const { language, openByFacility, awayFacilities, awayCameras } = input;
  const words = digestWords[language];
  return [
    shortListOf(
      words.openByFacility,
      openByFacility,
      ({ id, name, open, bySeverity }) => ({
        title: words.openCount(open),
        description: `${presentableText(name)}: ${severitiesIn(bySeverity, language)}`,
        links: [{ label: words.showAlerts, url: openAlerts(input, { facility: id }) }],
      }),
      words.furtherFacilities,
    ),
    shortListOf(
      words.facilitiesAway,
      awayFacilities,
      (facility) => ({
        title: sinceWhen(input, facility),
        description: presentableText(facility.name),
        links: [
          { label: words.showFacility, url: inConsole(input, { view: "fleet", facility: facility.id }) },
        ],
      }),
      words.furtherFacilities,
    ),
    shortListOf(
      words.camerasAway,
      awayCameras,
      (camera) => ({
        title: sinceWhen(input, camera),
        description: `${presentableText(camera.name)} · ${presentableText(camera.facilityName)}`,
        links: [{ label: words.showCamera, url: inConsole(input, { camera: camera.id }) }],
      }),
      words.furtherCameras,
    ),
  ];
}

/** Since when a place is away, with the year if that is another one. */
function sinceWhen({ language, timeZoneId, end }: DigestInput, { since }: AwayPlace): string {
  if (!since) return "–";
  const { day, date, time } = localMoment(since, timeZoneId, language);
  const year = date.slice(-4);
  const isSameYear = localMoment(end, timeZoneId, language).date.endsWith(year);
  return `${isSameYear ? day : `${day} ${year}`}, ${time}`;
}

function mainLink(input: DigestInput): MailLink {
  const words = digestWords[input.language];
  return input.open > 0
    ? { label: words.openAlertsLink, url: openAlerts(input, {}) }
    : { label: words.openConsole, url: inConsole(input, {}) };
}

/** The open alerts of the 24 hours in the console. */
const openAlerts = (input: DigestInput, further: Record<string, string>): string =>
  inConsole(input, {
    view: "alerts",
    ...further,
    open: "true",
    from: input.start.toISOString(),
    to: input.end.toISOString(),
  });

function inConsole({ publicUrl }: DigestInput, parameters: Record<string, string>): string {
  const query = new URLSearchParams(parameters).toString();
  return `${publicUrl}/${query === "" ? "" : `?${query}`}`;
}
