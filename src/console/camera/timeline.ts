import type { CameraTimelineQuery, TimelineRequestFragment } from "../../generated/console.js";

type Camera = NonNullable<CameraTimelineQuery["camera"]>;
type StatusChange = Camera["statusHistory"]["nodes"][number];

export type TimelineEntry = { key: string; at: string } & (
  | { kind: "added" }
  | { kind: "status"; change: StatusChange }
  | { kind: "request"; request: TimelineRequestFragment }
  | { kind: "report"; request: TimelineRequestFragment }
);

/** The timeline of a camera, newest first, and whether there are older entries. */
interface Timeline {
  entries: readonly TimelineEntry[];
  isComplete: boolean;
}

/**
 * Merges the API's lists about a camera. If a list has more pages, the timeline ends with that list's last entry, since
 * older entries might be missing.
 */
export function timelineOf({ createdAt, statusHistory, streamRequests }: Camera): Timeline {
  const entries: TimelineEntry[] = [
    { key: "added", at: createdAt, kind: "added" },
    ...statusHistory.nodes.map((change) => ({
      key: change.id,
      at: change.createdAt,
      kind: "status" as const,
      change,
    })),
    ...streamRequests.nodes.flatMap((request): TimelineEntry[] => [
      { key: request.id, at: request.createdAt, kind: "request", request },
      ...(request.lastCallbackAt
        ? [{ key: `${request.id} report`, at: request.lastCallbackAt, kind: "report" as const, request }]
        : []),
    ]),
  ];
  const ends = [statusHistory, streamRequests].flatMap(({ pageInfo, nodes }) =>
    pageInfo.hasNextPage ? (nodes.at(-1)?.createdAt ?? []) : [],
  );
  const end = ends.sort().at(-1);
  return {
    // Instants of the API are equally long texts, which sort like the instants.
    entries: entries
      .filter(({ at }) => end === undefined || at >= end)
      .sort((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0)),
    isComplete: end === undefined,
  };
}

/** What became of a stream request that nobody has reported on. */
type Waiting = "waiting" | "superseded" | "unanswered";

/** Undefined if a feed server has reported. */
export function waitingOf(request: TimelineRequestFragment, now: Date): Waiting | undefined {
  if (request.lastCallbackAt) return undefined;
  if (request.supersededAt) return "superseded";
  return Date.parse(request.expiresAt) < now.getTime() ? "unanswered" : "waiting";
}
