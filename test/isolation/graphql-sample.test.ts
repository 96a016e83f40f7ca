// Runs once: both kinds of databases run the same statements.
import { OperationTypeNode } from "graphql";
import {
  askedPositions,
  expectHidden,
  expectNoSubscription,
  expectVisible,
  gateway,
  openSites,
  queries,
  shown,
  subscribedPositions,
} from "./asking.js";
import { type AskingCaller, fieldExpectations } from "./expectations.js";
import type { IdPosition } from "./schema-walk.js";

// What graphql.test.ts asks for everywhere as each caller, in short.
beforeAll(openSites);
afterAll(() => gateway.close());

const ofWorkspace = queries.filter(({ field }) => field.name === "workspace");

it.each(["admin", "otherKey", "siteUser", "withoutPermissions"] as const)(
  "shows exactly the visible objects of the workspace to %s",
  async (name) => {
    await expectVisible(ofWorkspace, shown.callers[name]);
  },
);

/** The first id that each field takes. */
const firstOf = (positions: IdPosition[]) =>
  positions.filter(({ asked }, index) => asked !== positions[index - 1]?.asked);

/** Somebody of the same workspace, unless only callers with permissions in a workspace may ask. */
const askerAt = ({ position }: IdPosition): AskingCaller =>
  fieldExpectations[position]?.outcomes.siteUser === "FORBIDDEN" ? "otherAdmin" : "siteUser";

const ofMutations = askedPositions.filter(({ asked }) => asked.operation === OperationTypeNode.MUTATION);

it.each(firstOf(ofMutations).map((each) => [each.position, askerAt(each), each] as const))(
  "a hidden id is answered like one that never existed, and changes nothing, by %s for %s",
  (_position, name, each) => expectHidden(each, [name]),
);

it.each(firstOf(subscribedPositions).map((each) => [each.position, each] as const))(
  "a subscription to a hidden object is answered like one to an object that never existed, by %s",
  (_position, each) => expectNoSubscription(each, ["siteUser"]),
);
