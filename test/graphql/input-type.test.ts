// Runs once: needs no database.
import { expect, it } from "vitest";
import { z } from "zod";
import { inputType } from "../../src/platform/input-type.js";

it("a rule that does not say its GraphQL type is refused", () => {
  const define = () => inputType("Unclear", "An input.", z.object({ anything: z.unknown() }));
  expect(define).toThrow("A rule for unknown does not say its GraphQL type");
});
