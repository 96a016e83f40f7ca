// Needs no gateway.
import { readFileSync } from "node:fs";
import { buildSchema } from "graphql";
import { calledByPrograms, missingMutations, mutationPlaces } from "../../src/mutation-places.js";

const mutations =
  buildSchema(readFileSync("schema/schema.graphql", "utf8")).getMutationType()?.getFields() ?? {};
const sent = mutationPlaces().map(({ mutation }) => mutation);

it("people find each mutation in the console, unless only programs call it", () => {
  expect(missingMutations()).toEqual([]);
});

it("mutations that only programs call exist, and the console does not send them", () => {
  expect(Object.keys(calledByPrograms).filter((name) => !mutations[name] || sent.includes(name))).toEqual([]);
});

it("the places of mutations have the names that people read", () => {
  const whereOf = (name: string) => mutationPlaces().find(({ mutation }) => mutation === name)?.where;
  expect(["signIn", "createAlertRule", "markAlerts", "updateFacility", "rotateApiKey"].map(whereOf)).toEqual([
    ["Sign in"],
    ["Rules"],
    ["Alerts"],
    ["Settings → Facilities and cameras"],
    ["Settings → API keys"],
  ]);
});
