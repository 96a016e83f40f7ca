import path from "node:path";
import { inject } from "vitest";
import type { TestServer } from "./databases.js";

declare module "vitest" {
  export interface ProvidedContext {
    resources: TestResources;
  }
}

/**
 * The shared resources of a project's tests. Each is made for the first test that needs
 * it.
 */
export interface TestResources {
  /** The address for requests; see {@link require}. */
  address: string;
  /** The directory of the embedded databases' templates and of the demo's pictures. */
  directory: string;
  /** The server for copies of templates; absent for the embedded database. */
  server?: TestServer;
}

/**
 * Databases that tests start from as copies: one with nothing but the schema, one with
 * the demo fleet.
 */
export type Seed = "none" | "demo";

/**
 * A template; the built gateway with its commands and pages; or pages that were built at
 * some time, without which no gateway starts.
 */
export type Resource = Seed | "build" | "pages";

/** Waits until a test's resource exists. */
export async function requireResource(resource: Resource): Promise<void> {
  const { address } = inject("resources");
  const response = await fetch(`${address}/${resource}`);
  if (!response.ok) throw new Error(`There is no ${resource}: ${await response.text()}`);
}

/** The DATA_DIR of a template. */
export const directoryOf = (directory: string, seed: Seed): string => path.join(directory, seed);

/** The embedded database of a template. */
export const databaseOf = (directory: string, seed: Seed): string => path.join(directory, seed, "postgresql");

/** The output of the gateway's first start on an empty database that is to be seeded. */
export const firstStartOutput = (directory: string): string => path.join(directory, "first-start.txt");
