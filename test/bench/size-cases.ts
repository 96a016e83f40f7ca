import { print } from "graphql";
import { AlertsPageDocument, AlertsTotalDocument } from "../../src/generated/console.js";
import { datasetEnd } from "./dataset.js";
import { idKinds, idOf } from "./dataset-ids.js";
import type { HttpRequest } from "./load.js";
import { cameraOf, gatewayRequest, get, graphql, period } from "./requests.js";

/** A kind of request whose cost should not depend on the number of alerts. */
export interface SizeCase {
  description: string;
  /** Requests per repetition, enough for about a second with the larger data set; else 30. */
  requestCount?: number;
  /** The n-th request. */
  requestFor: (n: number) => HttpRequest;
}

/**
 * The end with which the console reads periods without an end, because detectors' clocks
 * may be ahead.
 */
const withoutEnd = "9999-12-31T00:00:00.000Z";
const always = { start: "1970-01-01T00:00:00.000Z", end: withoutEnd };
const recent = (days: number, n: number) => ({ start: period(days, n).filter.start, end: withoutEnd });
const facilityOf = (n: number) => idOf(idKinds.facility, (n % 20) + 1);
const ruleOf = (n: number) => idOf(idKinds.rule, (n % 1600) + 1);
const areaOf = (n: number) => idOf(idKinds.area, (n % 1600) + 1);
const day = 86_400_000;

const operation = (document: Parameters<typeof print>[0]) => {
  const query = print(document);
  return (variables: object) => graphql(query, variables);
};
const alertsPage = operation(AlertsPageDocument);
const page = (filter: object, first = 100) => alertsPage({ filter, first });
const total = operation(AlertsTotalDocument);

const lastPage = `query LastPage($filter: AlertFilter!) {
  alerts(filter: $filter, last: 20) { nodes { id name severity createdAt } pageInfo { hasPreviousPage startCursor } }
}`;
const newestOfParents = `query Newest($id: UUID!) {
  facility(id: $id) { id alerts(first: 20) { nodes { id name } } cameras { id name alerts(first: 5) { nodes { id name severity createdAt } } } }
}`;
const calendar = `query Calendar($id: UUID!, $filter: AlertFilter!) {
  facility(id: $id) { alertCounts(filter: $filter, aggregate: MONTH) { key count } }
}`;

/** First pages of what the console lists. */
const firstPage = (
  of: string,
  filter: (n: number) => object,
  others: { requestCount?: number; first?: number } = {},
): SizeCase => ({
  description: `first page of ${of}`,
  requestFor: (n) => page(filter(n), others.first),
  ...(others.requestCount && { requestCount: others.requestCount }),
});

/** The kinds of requests, by name. */
export const sizeCases: Record<string, SizeCase> = {
  newest: firstPage("all alerts", () => always),
  recent: firstPage("30 days", (n) => recent(30, n)),
  facility: firstPage("a facility", (n) => ({ ...recent(30, n), facilityIds: [facilityOf(n)] })),
  camera: firstPage("a camera", (n) => ({ ...recent(30, n), cameraIds: [cameraOf(n)] })),
  parents: {
    description: "newest alerts of a facility and of its 20 cameras",
    requestCount: 80,
    requestFor: (n) => graphql(newestOfParents, { id: facilityOf(n) }),
  },
  kinds: firstPage("a type and a severity", (n) => ({
    ...recent(30, n),
    types: ["NO_HELMET"],
    severities: ["HIGH"],
  })),
  "camera-kinds": firstPage("a type of a camera", (n) => ({
    ...always,
    cameraIds: [cameraOf(n)],
    types: ["NO_HELMET"],
  })),
  rule: firstPage("a rule", (n) => ({ ...always, alertRuleIds: [ruleOf(n)] })),
  unacknowledged: firstPage("what is not acknowledged", () => ({ ...always, acknowledged: false })),
  bookmarked: firstPage("bookmarks", () => ({ ...always, bookmark: true })),
  area: firstPage("20 alerts in an area", (n) => ({ ...always, areaIds: [areaOf(n)] }), {
    requestCount: 10,
    first: 20,
  }),
  acknowledged: firstPage(
    "what is acknowledged, which nothing is",
    (n) => ({ ...recent(30, n), acknowledged: true }),
    {
      requestCount: 4,
    },
  ),
  L: {
    description: "GET /alerts of 30 days, 20 rows with total",
    requestFor: (n) => gatewayRequest("L", n),
  },
  "L-days": {
    description: "the same of a facility, of 30 days that begin and end at midnight",
    requestFor: (n) => {
      const end = datasetEnd.getTime() - (n % 60) * day;
      return get(`/alerts?start=${end - 30 * day}&end=${end}&count=20&facilityId=${facilityOf(n)}`);
    },
  },
  "L-camera": {
    description: "GET /cameras/:cameraId/alerts of 30 days, 20 rows with total",
    requestCount: 60,
    requestFor: (n) =>
      get(`/cameras/${cameraOf(n)}/alerts?start=${period(30, n).start}&end=${period(30, n).end}&count=20`),
  },
  backwards: {
    description: "last page of 180 days",
    requestCount: 120,
    requestFor: (n) => graphql(lastPage, { filter: period(180, n).filter }),
  },
  "page-1000": {
    description: "GET /alerts of a year, page 1000",
    requestCount: 12,
    requestFor: () =>
      get(`/alerts?start=${datasetEnd.getTime() - 365 * day}&end=${datasetEnd.getTime()}&page=1000&count=20`),
  },
  total: {
    description: "total of all alerts",
    requestFor: () => total({ filter: always }),
  },
  "total-recent": {
    description: "total of the last 30 days",
    requestFor: (n) => total({ filter: recent(30, n) }),
  },
  T: { description: "total of 180 days", requestCount: 16, requestFor: (n) => gatewayRequest("T", n) },
  C: {
    description: "counts per day of a camera of 90 days",
    requestCount: 120,
    requestFor: (n) => gatewayRequest("C", n),
  },
  calendar: {
    description: "counts per month of a facility of a year",
    requestCount: 20,
    requestFor: (n) => graphql(calendar, { id: facilityOf(n), filter: period(365, n).filter }),
  },
};
