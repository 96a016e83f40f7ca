import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import sharp from "sharp";
import type { Permission } from "../../src/engine/access/permissions.js";
import type { Gateway } from "../support/harness.js";
import { TestSite } from "../support/test-site.js";
import { closePages } from "./monitored-page.js";
import { newSite } from "./own-console.js";

/** A gateway that stores pictures in a directory. */
export class PicturedConsole {
  gateway!: Gateway;
  #site!: TestSite;

  async open(environment: Record<string, string>): Promise<void> {
    this.#site = await TestSite.open();
    this.gateway = await this.#site.start({ environment });
  }

  async close(): Promise<void> {
    await closePages();
    await this.gateway?.close();
    await this.#site?.remove();
  }

  /** Stores a picture of one colour, and returns its key. */
  async storePicture(hue = 0, width = 640, height = 360): Promise<string> {
    const background = `hsl(${hue % 360}, 40%, 50%)`;
    const picture = sharp({ create: { width, height, channels: 3, background } });
    return this.storeFile("pictures", "jpg", await picture.jpeg().toBuffer());
  }

  /** Stores a file in a directory of the store, and returns its key. */
  async storeFile(directory: string, extension: string, content: Buffer): Promise<string> {
    const key = `${directory}/${randomUUID()}.${extension}`;
    const file = path.join(this.#site.directory, "objects", key);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
    return key;
  }

  /** A workspace of its own, with a camera and a user who may mark alerts. */
  workspace(roles: readonly Permission[] = ["alerts:read", "alerts:write"]) {
    return newSite(this, { user: { roles, firstName: "Grace", lastName: "Hopper" } });
  }
}

/** Opens such a console for the tests of a file. */
export function picturedConsole(environment: Record<string, string> = {}): PicturedConsole {
  const console = new PicturedConsole();
  beforeAll(() => console.open(environment), 120_000);
  afterAll(() => console.close());
  return console;
}
