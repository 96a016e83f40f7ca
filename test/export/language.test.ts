// Runs once: both kinds of databases run the same statements.
import { createAlerts, createApiKey, createPlace } from "../support/factories.js";
import { sharedWorkspace } from "../support/harness.js";
import {
  columns,
  csvRecords,
  type ExportFormat,
  exportedFile,
  fileOf,
  jsonLines,
  linkTo,
  pathOf,
} from "./exports.js";
import { type Cell, rowsOf, workbookOf } from "./workbook.js";

const november = { start: "2026-11-01T00:00:00.000Z", end: "2026-12-01T00:00:00.000Z" };
const period = `start=${Date.parse(november.start)}&end=${Date.parse(november.end)}`;
const germanColumns = [
  "Ortszeit",
  "UTC-Zeit",
  "Standort",
  "Kamera",
  "Art",
  "Schwere",
  "Anzahl",
  "Gemerkt",
  "Fehlalarm",
  "Beobachtung",
  "Regel",
  "Bereiche",
  "Bild",
  "Alarm-ID",
  "Zeitzone",
  "Regel in Worten",
  "Quittiert",
  "Quittiert von",
  "Quittiert am",
  "Kommentare",
  "Neuester Kommentar",
  "Art in Worten",
];
const types = ["VEHICLE_IN_PEDESTRIAN_AREA", "NO_PPE", "A person fell", "constructor"];
const words: Record<string, string[]> = {
  en: ["Vehicle in a pedestrian area", "No PPE", "A person fell", "constructor"],
  de: ["Fahrzeug im Fußgängerbereich", "No PPE", "A person fell", "constructor"],
};
const { gateway, prisma, workspaceId } = await sharedWorkspace();
const as = await createApiKey(prisma, { workspaceId, permissions: ["alerts:read"] });
const { facilityId, cameraId } = await createPlace(prisma, { workspaceId });
const alert = { workspaceId, facilityId, cameraId, url: "https://pictures.example/1.jpg" };
await createAlerts(
  prisma,
  types.map((name) => ({ ...alert, name })),
);

const byLink = async (format: ExportFormat, language?: string, filter: object = {}) =>
  exportedFile(gateway, as, { ...november, ...filter }, format, language);
const byRest = async (query = "") => fileOf(await gateway.fetch(`/alerts/export?${period}${query}`, { as }));

/** The headers and the types in words of a spreadsheet. */
const shownIn = ([headers, ...rows]: Cell[][]) => ({ headers, words: rows.map((row) => row.at(-1)) });

describe.each([
  ["en", columns],
  ["de", germanColumns],
] as const)("in the language %s", (language, headers) => {
  const expected = { headers: [...headers], words: words[language] };

  it("a spreadsheet by GraphQL and by REST has its headers and its words for types", async () => {
    expect(shownIn(await rowsOf(await byLink("XLSX", language)))).toEqual(expected);
    expect(shownIn(await rowsOf(await byRest(`&lang=${language}`)))).toEqual(expected);
  });

  it("CSV has them, too", async () => {
    expect(shownIn(csvRecords(await byLink("CSV", language)))).toEqual(expected);
  });

  it("NDJSON has its words for types under English names", async () => {
    const lines = jsonLines<Record<string, unknown>>(await byLink("NDJSON", language));
    expect(lines.map(({ typeInWords }) => typeInWords)).toEqual(words[language]);
    expect(Object.keys(lines[0] ?? {}).slice(-2)).toEqual(["newestComment", "typeInWords"]);
  });
});

it("a German spreadsheet is German throughout", async () => {
  const file = await byLink("XLSX", "de", { types: [], relativeDays: { from: -3650, to: 0 } });
  const { worksheets } = await workbookOf(file);
  expect(worksheets.map(({ name }) => name)).toEqual(["Alarme", "Filter"]);
  const [, alert] = await rowsOf(await byRest("&lang=de"));
  expect(alert?.[germanColumns.indexOf("Bild")]).toBe("Bild öffnen");
  const facts = await rowsOf(file, 2);
  expect(facts.map(([name]) => name)).toEqual([
    "Exportiert (UTC)",
    "Links gültig bis (UTC)",
    "Relative Tage und Wochen gezählt ab (UTC)",
    "Von (UTC)",
    "Vor (UTC)",
    "Standort",
    "Einer der Standorte",
    "Kamera",
    "Regel",
    "Art",
    "Schwere",
    "Mit Schwere",
    "Gemerkt",
    "Fehlalarm",
    "Beobachtung",
    "Quittiert",
    "Offen",
    "Mit Clip",
    "Bereichs-ID",
    "Eine der Bereichs-IDs",
    "Objekt",
    "Merkmale eines Objekts",
    "Text",
    "Ausschnitt des Bildes (%)",
    "Tage vor Ort",
    "Relative Tage",
    "Relative Wochen",
    "Zeiten vor Ort",
    "Stunde des Tages",
    "Wochentag (0 ist Sonntag)",
  ]);
  const factOf = (name: string) => facts.find(([fact]) => fact === name)?.[1];
  expect([factOf("Kamera"), factOf("Art"), factOf("Relative Tage")]).toEqual([
    "Alle",
    "Keine",
    "-3650 bis 0",
  ]);
});

it("a period up to now has no year 9999, and one of all time no year 1970", async () => {
  const factsOf = async (filter: object, language: string) => {
    const facts = await rowsOf(await byLink("XLSX", language, filter), 2);
    return facts.filter(([name]) => /^(?:From|Before|Von|Vor) /.test(String(name))).map(([, value]) => value);
  };
  const always = { start: "1970-01-01T00:00:00.000Z", end: "9999-12-31T00:00:00.000Z" };
  expect(await factsOf(always, "en")).toEqual(["No start", "No end"]);
  expect(await factsOf(always, "de")).toEqual(["Kein Beginn", "Kein Ende"]);
  expect(await factsOf({ end: always.end }, "en")).toEqual([new Date(november.start), "No end"]);
  const { headers } = await gateway.fetch(pathOf((await linkTo(gateway, as, always)).url));
  expect(headers.get("content-disposition")).not.toMatch(/9999|1970/);
});

it("another language is refused", async () => {
  const query =
    "query ($filter: AlertFilter!, $language: String) { exportAlerts(filter: $filter, language: $language) { url } }";
  for (const language of ["", "fr", "DE", "de-DE"]) {
    const { errors } = await gateway.graphql(query, { as, variables: { filter: november, language } });
    expect(errors).toMatchObject([
      { extensions: { code: "BAD_REQUEST", details: [{ path: "language", message: "must be en or de" }] } },
    ]);
  }
});
