import { describe, expect, it } from "vitest";
import { initOf, requestOf, routeCases, titled } from "../support/route-cases.js";
import { ShapeCheck } from "./shape.js";
import { sessionOfFile } from "./write-session.js";
import { fitting, stateOf, worldId } from "./write-world.js";

const session = sessionOfFile();
const writes = routeCases.filter(({ method }) => method !== "get");

describe("answers exactly what is specified, and nothing that may be kept", () => {
  it.each(writes.map(titled))("%s", async (_title, each) => {
    const { status, headers, body } = await session.send(each.number);
    const check = new ShapeCheck(each.body);
    check.add(body);
    expect({ status, faults: check.faults, cache: headers.get("cache-control") }).toEqual({ status: 200, faults: [], cache: "no-store" });
    expect(headers.get("content-type")).toBe(each.body === "nothing" ? null : "application/json; charset=utf-8");
  });
});

describe("ignores members of the body and parameters that it does not know", () => {
  it.each(writes.map(titled))("%s", async (_title, each) => {
    const other = await session.freshWorld();
    const target = requestOf(each, { ...session.world.ids }, { unknown: ["1", "2"] });
    const unknown = { unknown: 1, id: worldId(other.number, 21), workspaceId: worldId(other.number, 1), removedAt: null, roles: ["users:write"] };
    const init = initOf(each, unknown);
    const answer = await session.gateway.fetch(target, { as: fitting(each, session.world.admin), ...init });
    expect(answer.status).toBe(200);
    await session.gateway.fetch(requestOf(each, { ...other.ids }), { as: fitting(each, other.admin), ...initOf(each) });
    expect(await stateOf(session.gateway, session.world)).toEqual(await stateOf(session.gateway, other));
  });
});

it("takes a body of 1 MiB", async () => {
  const { facilityId } = session.world.ids;
  const body = '{"name": "Gate"}'.padEnd(2 ** 20);
  const headers = { "content-type": "application/json" };
  const answer = await session.gateway.fetch(`/facilities/${facilityId}`, { as: session.world.admin.user, method: "PATCH", headers, body });
  expect(answer.status).toBe(200);
});
