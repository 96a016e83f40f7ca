import { open, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import type { Logger } from "../../../platform/telemetry/log.js";
import { codeOf, messageOf } from "../../../platform/thrown.js";
import { delayAfter } from "./retries.js";

const ownerRule = z.object({ connector: z.string() });

/**
 * A file with the state of a connector. It is replaced as a whole, so that a crash or a full disk leaves the last
 * state, and names the connector, which must not take the state of another for its own.
 */
export class StateFile<State extends object> {
  readonly #file: string;
  /** The name of the connector. */
  readonly #connector: string;
  readonly #log: Logger;
  #unsaved: { state: State } | undefined;
  #saving: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #failures = 0;

  constructor(file: string, connector: string, log: Logger) {
    this.#file = file;
    this.#connector = connector;
    this.#log = log;
  }

  /** The last state; undefined without any. Throws if it is not what `rule` expects: to begin anew would lose it. */
  async read(rule: z.ZodType<State>): Promise<State | undefined> {
    let text: string;
    try {
      text = await readFile(this.#file, "utf8");
    } catch (error) {
      if (codeOf(error) === "ENOENT") return undefined;
      throw new Error(`The state file ${this.#file} cannot be read: ${codeOf(error)}`);
    }
    let content: { owner: string; state: State };
    try {
      const value = JSON.parse(text);
      content = { owner: ownerRule.parse(value).connector, state: rule.parse(value) };
    } catch {
      throw new Error(
        `The state file ${this.#file} is not one of this connector: move it away to begin anew`,
      );
    }
    if (content.owner === this.#connector) return content.state;
    throw new Error(
      `The state file ${this.#file} is that of the connector ${content.owner}: each connector needs one of its own`,
    );
  }

  /**
   * Saves a state, after those that are being saved. If it fails, the log tells so, and the newest state is
   * tried again and again.
   */
  save(state: State): void {
    this.#unsaved = { state };
    if (this.#retry === undefined) void this.flush();
  }

  /** Saves what was not saved yet. Returns whether all is saved. */
  async flush(): Promise<boolean> {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    if (this.#unsaved) this.#saving ??= this.#saveAll();
    await this.#saving;
    return this.#unsaved === undefined;
  }

  /** Saves what was not saved yet, and gives up if it cannot be. */
  async close(): Promise<void> {
    if (!(await this.flush())) this.#log.error(`The state was not saved to ${this.#file}`);
    clearTimeout(this.#retry);
  }

  #endSaving(): void {
    this.#saving = undefined;
  }

  async #saveAll(): Promise<void> {
    for (;;) {
      const saved = this.#unsaved;
      // At once: what is saved from now on begins anew.
      if (!saved) return this.#endSaving();
      try {
        await replaceFile(this.#file, JSON.stringify({ connector: this.#connector, ...saved.state }));
      } catch (error) {
        this.#failures += 1;
        if (this.#failures === 1) {
          const reason = codeOf(error) || messageOf(error);
          this.#log.error(`The state cannot be saved to ${this.#file}: ${reason}; trying again`);
        }
        this.#retry = setTimeout(() => void this.flush(), delayAfter(this.#failures));
        return this.#endSaving();
      }
      if (this.#failures > 0) this.#log.info(`The state is saved to ${this.#file} again`);
      this.#failures = 0;
      if (this.#unsaved === saved) this.#unsaved = undefined;
    }
  }
}

/** Replaces a file at once: whoever reads it finds the old content or the new one. */
async function replaceFile(file: string, text: string): Promise<void> {
  const temporary = `${file}.new`;
  try {
    const handle = await open(temporary, "w", 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
  // Otherwise a loss of power could undo the renaming.
  const directory = await open(path.dirname(file), "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
