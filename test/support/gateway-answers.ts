import { csvRecords, fileOf, linkTo, pathOf } from "../export/exports.js";
import { rowsOf } from "../export/workbook.js";
import { full } from "./fixed-fleet.js";
import type { Gateway, Sender } from "./harness.js";
import { type PathValues, requestOf, routeCases } from "./route-cases.js";

/**
 * A period that covers all alerts of the fixed fleet by whole days, and one that begins
 * and ends within days.
 */
const period = `{ start: "2026-10-31T22:00:00Z", end: "2026-12-01T03:00:00Z" }`;

const page =
  "nodes { id name createdAt localCreatedAt info violatingCoordinates { x y } } totalCount pageInfo { hasNextPage endCursor }";

/** Reads of each kind. */
const queries: Record<string, string> = {
  "nested views": `{ workspace { id name facilities {
    id name address timeZoneId effectiveTimeZoneId lastHeartbeatAt online cameraCount geographicCoordinates { lat lng }
    alerts(filter: ${period}) { ${page} }
    cameras {
      id name createdAt updatedAt url imageDimensions { width height } dataCollectionObjects advancedSettings
      calibration { pixelLength homographyMatrix points { x y } updatedAt }
      analysisJobs { id state createdAt startedAt endedAt }
      alertRules { id name dayRange timeRange group areas { id points { x y } } }
      streamRequests(first: 5) { nodes { expiresAt } }
      alerts { ${page} }
    }
  } } }`,
  alerts: `{ alerts(filter: ${period}, first: 1) { ${page} } }`,
  counts: `{ day: alertCounts(filter: ${period}, aggregate: DAY) { key count } week: alertCounts(filter: ${period}, aggregate: WEEK) { key count } }`,
  "statistics of kept counts": `{ alertStatistics(filter: ${period}, groupBy: [DAY, FACILITY], fillGaps: true) { period count facility { id } } }`,
  "statistics of single alerts": `{ alertStatistics(filter: ${period}, groupBy: [DAY_OF_WEEK, HOUR_OF_DAY, CAMERA]) { dayOfWeek hourOfDay count camera { id } } }`,
  search: `{ searchCameras(filter: { text: "yard" }) { nodes { id name } totalCount } }`,
  users:
    "{ workspace { users { id email roles phoneNumber { e164Format } } apiKeys { id name permissions facilityIds } alertTypes alertSeverities } }",
};

const allTime = { start: "1970-01-01T00:00:00Z", end: "9999-12-31T23:59:59.999Z" };

/**
 * A gateway's answers about the fixed fleet to reads of each kind by REST, by GraphQL and
 * as files.
 */
export async function answersOf(
  gateway: Gateway,
  as: Sender,
  ids: PathValues = { ...full },
): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const each of routeCases.filter(({ method }) => method === "get")) {
    const response = await gateway.fetch(requestOf(each, ids), { as });
    const file = await fileOf(response);
    answers[`${each.number} ${each.path}`] =
      each.body === "xlsx" ? await rowsOf(file) : JSON.parse(String(file));
  }
  for (const [name, query] of Object.entries(queries)) {
    answers[name] = await gateway.data(query, { as });
  }
  const exported = async (format: "CSV" | "NDJSON") =>
    fileOf(await gateway.fetch(pathOf((await linkTo(gateway, as, allTime, format)).url)));
  answers.CSV = csvRecords(await exported("CSV"));
  answers.NDJSON = String(await exported("NDJSON"));
  return answers;
}
