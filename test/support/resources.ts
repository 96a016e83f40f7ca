import path from "node:path";
import { inject } from "vitest";
import type { TestServer } from "./databases.js";

declare module "vitest" {
  export interface ProvidedContext {
    resources: TestResources;
  }
}

/**
 * What the tests of a project share, which is made when the first of them asks for it.
 */
export interface TestResources {
  /** Where to ask; see {@link require}. */
  address: string;
  /** Where the templates of embedded databases are, and the pictures of the demo. */
  directory: string;
  /**
   * Where the copies of a server's templates are made; none for the embedded database.
   */
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
