import type { Logger } from "../../../platform/telemetry/log.js";

/** What a source names, and the gateway does not know. */
interface UnmappedSource {
  kind: "CAMERA" | "ZONE";
  name: string;
  /** How often it was named since the start. */
  count: number;
  lastSeenAt: string;
  /** The gateway's camera, if the name is that of something of a camera. */
  cameraId?: string;
}

/** The maximum of a report. */
const maxSources = 100;
const maxNameLength = 100;

/** The cameras and zones that could not be mapped. Keeps the last ones: messages may contain any names. */
export class UnmappedSources {
  readonly #log: Logger;
  readonly #sources = new Map<string, UnmappedSource>();
  readonly #logged = new Set<string>();
  #onNew: () => void = () => {};

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Counts a name, and logs it with the problem when it occurs for the first time. */
  add(kind: UnmappedSource["kind"], source: string, problem: string, cameraId?: string): void {
    const name = printable(source);
    const key = `${kind} ${name}`;
    const count = (this.#sources.get(key)?.count ?? 0) + 1;
    // The order of a map is that of insertion.
    this.#sources.delete(key);
    const lastSeenAt = new Date().toISOString();
    this.#sources.set(key, { kind, name, count, lastSeenAt, ...(cameraId !== undefined && { cameraId }) });
    for (const [first] of this.#sources) {
      if (this.#sources.size <= maxSources) break;
      this.#sources.delete(first);
    }
    if (this.#logged.has(key) || this.#logged.size >= maxSources) return;
    this.#logged.add(key);
    this.#onNew();
    this.#log.warn(
      { kind, name },
      `${kind === "CAMERA" ? "A camera" : "A zone"} cannot be mapped: ${problem}`,
    );
    if (this.#logged.size === maxSources)
      this.#log.warn("Further names that cannot be mapped are not logged");
  }

  /** Waits until a name is added that was not logged yet. At most one may wait. */
  async nextNew(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#onNew = resolve;
    });
  }

  /** Forgets a name that is mapped now. */
  remove(kind: UnmappedSource["kind"], source: string): void {
    if (this.#sources.size > 0) this.#sources.delete(`${kind} ${printable(source)}`);
  }

  list(): UnmappedSource[] {
    return [...this.#sources.values()];
  }
}

const printable = (text: string) =>
  text
    .slice(0, maxNameLength)
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "�")
    .trim() || "(no name)";
