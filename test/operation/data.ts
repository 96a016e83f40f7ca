import { onTestFinished } from "vitest";
import { freshData } from "../support/harness.js";
import type { Seed } from "../support/templates.js";

/** A fresh copy of a template that goes with the running test: the settings that lead to it. */
export async function dataForTest(seed: Seed = "none"): Promise<Record<string, string>> {
  const { variables, cleanUp } = await freshData(seed);
  onTestFinished(cleanUp);
  return variables;
}
