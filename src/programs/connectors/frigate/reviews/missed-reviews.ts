import { type FrigateClient, FrigateError } from "../frigate-client.js";
import { type Review, reviewsOfResponse } from "../frigate-messages.js";
import { isFrom } from "../frigate-version.js";

/** Reviews that are alerts, and until when, by Frigate's clock, they are all. */
interface ReviewPage {
  reviews: Review[];
  /**
   * All that became an alert before this time is in this page or an earlier one. It is before the time that
   * was asked for if that is in the future.
   */
  until: number;
}

/** How many milliseconds a new alert may be missing in Frigate, which stores it a moment later, and responds slowly. */
const unsureMs = 60_000;
const pageSize = 200;
/** No page is larger, however much happened in a second. */
const maxPageSize = 10_000;
const firstSpanMs = 3_600_000;
const minSpanMs = 1000;

/** Until 0.16, a review that became an alert later than this after its start may be missed. */
const lateAlertMs = 3_600_000;

/**
 * The reviews that became alerts after a time, the oldest first, in pages. Frigate lists the newest first and without a
 * cursor, so that what is too much for a page is asked for in spans of time, which grow and shrink with what they hold.
 * Since 0.17, Frigate's `after` is about the end of reviews, and an alert ends after it became one: what was a
 * detection at first, and an alert only later, is not missed.
 */
export async function* missedReviews(client: FrigateClient, since: number): AsyncGenerator<ReviewPage> {
  const version = await client.version();
  const now = client.now();
  // Frigate's clock was ahead before, or is behind now. Nothing can be settled that is to come.
  const after = since > now + unsureMs ? now - unsureMs : since;
  if (!isFrom(version, 0, 17)) {
    yield* missedByStart(client, after, version);
    return;
  }
  const { reviews: newest, isAll } = await alerts(client, { after, limit: pageSize, version });
  const end = Math.max(after, client.now() - unsureMs);
  if (isAll || end === after) yield { reviews: newest, until: isAll ? end : after };
  else yield* missedInSpans(client, { after, end, version });
}

/** Older versions list what lies wholly within a time, so spans cannot be cut: one response has all of it. */
async function* missedByStart(
  client: FrigateClient,
  after: number,
  version: string,
): AsyncGenerator<ReviewPage> {
  const listed = await alerts(client, { after: Math.max(1000, after - lateAlertMs), version });
  const reviews = listed.reviews.filter(({ end }) => end === null || end > after);
  const until = Math.max(after, client.now() - unsureMs);
  for (let from = 0; from < reviews.length; from += pageSize)
    yield { reviews: reviews.slice(from, from + pageSize), until: after };
  yield { reviews: [], until };
}

async function* missedInSpans(
  client: FrigateClient,
  { after, end, version }: { after: number; end: number; version: string },
): AsyncGenerator<ReviewPage> {
  let span = firstSpanMs;
  let limit = pageSize;
  for (let from = after; from < end; ) {
    const isLast = from + span >= end;
    const before = isLast ? null : from + span;
    const { reviews: found, isAll } = await alerts(client, { after: from, before, limit, version });
    if (!isAll && limit < maxPageSize) {
      // Too much for a page, of which Frigate has left out the oldest.
      if (span > minSpanMs) span = Math.max(minSpanMs, Math.min(span, end - from) / 4);
      else limit *= 2;
      continue;
    }
    // What began before this span was in an earlier one.
    const reviews = from === after ? found : found.filter(({ start }) => start >= from);
    from = isLast ? end : from + span;
    yield { reviews, until: from };
    limit = pageSize;
    if (found.length < pageSize / 2) span *= 2;
  }
}

interface Question {
  after: number;
  before?: number | null;
  limit?: number;
  version: string;
}

async function alerts(
  client: FrigateClient,
  { after, before = null, limit = Number.POSITIVE_INFINITY, version }: Question,
): Promise<{ reviews: Review[]; isAll: boolean }> {
  const response = await client.json("/api/review", {
    severity: "alert",
    after: String(after / 1000),
    ...(before !== null && { before: String(before / 1000) }),
    ...(Number.isFinite(limit) && { limit: String(limit) }),
    // Until 0.17, the default may be 0, for reviews that nobody has looked at; 1 may be for the others.
    ...(!isFrom(version, 0, 18) && { reviewed: "2" }),
  });
  if (!Array.isArray(response)) throw new FrigateError("Frigate's answer to /api/review is not a list");
  const reviews = reviewsOfResponse(response)
    .filter(({ isAlert }) => isAlert)
    .sort((one, other) => one.start - other.start);
  // Also rows that are no reviews count: Frigate has left out others in favour of them.
  return { reviews, isAll: response.length < limit };
}
