/** What Frigate says of a camera's stream on `<camera>/status/detect`. */
export type StreamStatus = (typeof statuses)[number];

const statuses = ["online", "offline", "disabled"] as const;

export const streamStatusOf = (payload: Buffer): StreamStatus | null => {
  const text = payload.length <= 20 ? payload.toString("utf8").trim().toLowerCase() : "";
  return statuses.find((status) => status === text) ?? null;
};

/** The status details that the gateway gets. */
export const statusDetails = {
  online: "OPERATIONAL",
  offline: "STREAM_ERROR",
  disabled: "DISABLED",
} as const satisfies Record<StreamStatus, string>;

interface Observation {
  latest: StreamStatus;
  since: number;
  /** When the stream was first offline in the present trouble; null in none. */
  offlineSince: number | null;
}

/**
 * Which status of a stream is settled. Frigate tells the state of its own process: for a camera that cannot be reached,
 * it alternates between offline and online with each restart of that process. So a stream is online again when it has
 * been for a while, and offline when that has not happened for a while.
 */
export class CameraStatuses {
  readonly #observations = new Map<string, Observation>();

  constructor(readonly settleMs: number) {}

  observe(camera: string, status: StreamStatus, at: number): void {
    const known = this.#observations.get(camera);
    if (!known && this.#observations.size >= maxCameras) return;
    const trouble = status === "disabled" ? null : this.#trouble(known, at);
    const offlineSince = status === "offline" ? (trouble ?? at) : trouble;
    const since = known?.latest === status ? known.since : at;
    this.#observations.set(camera, { latest: status, since, offlineSince });
  }

  /** The settled status of each camera at a time; cameras between two are left out. */
  settled(at: number): Map<string, StreamStatus> {
    const isSettled = ({ latest, since, offlineSince }: Observation) => {
      if (latest === "disabled") return true;
      if (latest === "online") return offlineSince === null || at - since >= this.settleMs;
      return at - (offlineSince ?? since) >= this.settleMs;
    };
    return new Map(
      [...this.#observations]
        .filter(([, observation]) => isSettled(observation))
        .map(([camera, { latest }]) => [camera, latest]),
    );
  }

  /** When the present trouble of a stream began; null if there was none, or it is over. */
  #trouble(known: Observation | undefined, at: number): number | null {
    if (!known || known.offlineSince === null) return null;
    const isOver = known.latest === "online" && at - known.since >= this.settleMs;
    return isOver ? null : known.offlineSince;
  }
}

/** Frigate has some dozens of cameras; what others publish is not to fill the memory. */
const maxCameras = 2000;
