import { afterAll, beforeAll, expect, it } from "vitest";
import { type Gateway, startGateway } from "../support/harness.js";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ seed: "demo" });
});
afterAll(() => gateway.close());

interface View {
  facilities: { cameras: { alertRules: object[]; alerts: { nodes: object[] } }[] }[];
}

it("shows the demo fleet as facilities, cameras, rules and newest alerts", async () => {
  const { facilities } = await gateway.data<View>(
    "{ facilities { name cameras { name alertRules { name } alerts(first: 3) { nodes { name createdAt } } } } }",
    { as: { user: "demo|admin" } },
  );
  const cameras = facilities.flatMap((facility) => facility.cameras);
  expect(facilities).toHaveLength(4);
  expect(cameras).toHaveLength(24);
  expect(cameras.flatMap((camera) => camera.alertRules)).toHaveLength(60);
  expect(cameras.every((camera) => camera.alerts.nodes.length === 3)).toBe(true);
});
