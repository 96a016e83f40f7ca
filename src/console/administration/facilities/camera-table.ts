import Papa from "papaparse";
import { isStreamUrl } from "../../../features/camera/stream-url.js";
import type { StreamType } from "../../../generated/console.js";
import { recordOf } from "../../../platform/record.js";
import { isolated } from "../../../platform/text/text-direction.js";
import type { FacilityTexts } from "./english.js";
import { streamTypes } from "./stream-types.js";

/** The columns of a table of cameras. The header may name them in any order. */
export const columns = ["name", "url", "streamType", "facility"] as const;

type Column = (typeof columns)[number];

/** The maximum number of cameras in a table. */
export const mostCameras = 1000;
/** The maximum length of a table, in characters. */
export const longestTable = 1_000_000;

interface Facility {
  id: string;
  name: string;
  viewerPermissions: readonly string[];
}

/** What is already there. */
export interface PresentCameras {
  facilities: readonly Facility[];
  cameras: readonly { name: string; url: string | null; facilityId: string }[];
}

export interface ListedCamera {
  line: number;
  name: string;
  url: string;
  streamType: StreamType;
  facility: { id: string; name: string };
}

type ProblemTexts = FacilityTexts["cameraImport"]["problems"];

/** What is wrong in a line, in words for the reader. */
interface LineProblem {
  line: number;
  textOf: (problems: ProblemTexts) => string;
}

/** A checked table. Nothing of it may be written as long as there are problems. */
export interface CameraTable {
  missing: readonly ListedCamera[];
  /** The cameras that are there already, just as the table has them. */
  present: readonly ListedCamera[];
  problems: readonly LineProblem[];
}

interface Row {
  line: number;
  cells: readonly string[];
  isQuotedWrongly: boolean;
}

/** Checks a whole table against itself and against what is already there. */
export function checkedTable(text: string, there: PresentCameras): CameraTable {
  const fail = (line: number, textOf: LineProblem["textOf"]): CameraTable => ({
    missing: [],
    present: [],
    problems: [{ line, textOf }],
  });
  if (text.length > longestTable) return fail(1, ({ tooLong }) => tooLong);
  const [header, ...rows] = rowsOf(text);
  if (!header) return fail(1, ({ empty }) => empty);
  const indexes = indexesOf(header);
  if ("textOf" in indexes) return { missing: [], present: [], problems: [indexes] };
  if (rows.length === 0) return fail(header.line, ({ empty }) => empty);
  const overflow = rows[mostCameras];
  if (overflow) return fail(overflow.line, ({ tooMany }) => tooMany(mostCameras));
  const read = rows.map((row) => cameraOf(row, indexes, there.facilities));
  const cameras = read.flatMap((each) => ("name" in each ? [each] : []));
  const { missing, present, problems } = compared(cameras, there.cameras);
  const unread = read.flatMap((each) => ("textOf" in each ? [each] : []));
  return { missing, present, problems: [...unread, ...problems].sort((one, other) => one.line - other.line) };
}

/** The rows that are not empty, each with the line in which it begins. */
function rowsOf(given: string) {
  const text = given.replace(/^\ufeff/, "").replaceAll(/\r\n?/g, "\n");
  // The header decides: names of columns contain no separator.
  const delimiter = /[,;\t]/.exec(text.trimStart().split("\n", 1)[0] ?? "")?.[0] ?? ",";
  const rows: Row[] = [];
  let line = 1;
  let read = 0;
  Papa.parse<string[]>(text, {
    delimiter,
    newline: "\n",
    // The other mode does not tell where a row ends.
    fastMode: false,
    step: ({ data, errors, meta }) => {
      const cells = data.map((cell) => cell.trim());
      if (cells.some((cell) => cell !== "")) rows.push({ line, cells, isQuotedWrongly: errors.length > 0 });
      line += text.slice(read, meta.cursor).split("\n").length - 1;
      read = meta.cursor;
    },
  });
  return rows;
}

/** The index of each column, by the header. */
function indexesOf({ line, cells }: Row): Record<Column, number> | LineProblem {
  const names = cells.map((cell) => cell.toLowerCase());
  const indexOf = (column: Column) => names.indexOf(column.toLowerCase());
  const absent = columns.filter((column) => indexOf(column) < 0);
  if (absent.length > 0) return { line, textOf: ({ noColumns }) => noColumns(absent.join(", ")) };
  return recordOf(columns, indexOf);
}

/** The camera in a row, or the first problem with it. */
function cameraOf(
  { line, cells, isQuotedWrongly }: Row,
  indexes: Record<Column, number>,
  facilities: readonly Facility[],
): ListedCamera | LineProblem {
  const textIn = (column: Column) => cells[indexes[column]] ?? "";
  const [name = "", url = "", connection = "", facilityName = ""] = columns.map(textIn);
  if (isQuotedWrongly) return { line, textOf: ({ quotes }) => quotes };
  if (name === "" || name.length > 200 || /\p{Cc}/u.test(name))
    return { line, textOf: (texts) => texts.name };
  if (!isStreamUrl(url)) return { line, textOf: (texts) => texts.url };
  const streamType =
    connection === "" ? "DIRECT" : streamTypes.find((type) => type === connection.toUpperCase());
  if (!streamType)
    return { line, textOf: (texts) => texts.streamType(isolated(connection), streamTypes.join(", ")) };
  const found = facilities.filter(
    (each) => each.name === facilityName || each.id === facilityName.toLowerCase(),
  );
  const [facility, another] = found;
  if (!facility) return { line, textOf: (texts) => texts.facility(isolated(facilityName)) };
  if (another) return { line, textOf: (texts) => texts.severalFacilities(isolated(facilityName)) };
  if (!facility.viewerPermissions.includes("cameras:write"))
    return { line, textOf: (texts) => texts.forbidden(isolated(facilityName)) };
  return { line, name, url, streamType, facility: { id: facility.id, name: facility.name } };
}

/**
 * Finds cameras whose name at the facility, or whose URL, another camera has. A camera that already exists as listed is
 * no problem, so that a table can be given again.
 */
function compared(cameras: readonly ListedCamera[], there: PresentCameras["cameras"]): CameraTable {
  const nameKey = (facilityId: string, name: string) => `${facilityId} ${name}`;
  const namesThere = new Set(there.map(({ facilityId, name }) => nameKey(facilityId, name)));
  const urlsThere = new Set(there.map(({ url }) => url));
  const exactly = new Set(there.map(({ facilityId, name, url }) => `${nameKey(facilityId, name)}\n${url}`));
  const linesByName = new Map<string, number>();
  const linesByUrl = new Map<string, number>();
  const missing: ListedCamera[] = [];
  const present: ListedCamera[] = [];
  const problems: LineProblem[] = [];
  for (const camera of cameras) {
    const { line, name, url, facility } = camera;
    const key = nameKey(facility.id, name);
    const [sameName, sameUrl] = [linesByName.get(key), linesByUrl.get(url)];
    linesByName.set(key, sameName ?? line);
    linesByUrl.set(url, sameUrl ?? line);
    const report = (textOf: LineProblem["textOf"]) => problems.push({ line, textOf });
    if (sameName !== undefined) report((texts) => texts.sameName(isolated(name), sameName));
    else if (sameUrl !== undefined) report((texts) => texts.sameUrl(sameUrl));
    else if (exactly.has(`${key}\n${url}`)) present.push(camera);
    else if (namesThere.has(key))
      report((texts) => texts.nameExists(isolated(name), isolated(facility.name)));
    else if (urlsThere.has(url)) report((texts) => texts.urlExists);
    else missing.push(camera);
  }
  return { missing, present, problems };
}
