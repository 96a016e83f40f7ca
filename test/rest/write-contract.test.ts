// Runs once: REST runs the statements of GraphQL, which are tested on every kind of
// database.
import { describe, expect, it } from "vitest";
import { initOf, requestOf, routeCases, titled } from "../support/route-cases.js";
import { fixedId, senderFor, stateOf } from "../support/test-workspace.js";
import { restSessionOfFile } from "./rest-session.js";
import { ShapeCheck } from "./shape.js";

const session = restSessionOfFile();
const writes = routeCases.filter(({ method }) => method !== "get");

describe("returns exactly the specified body, uncacheable", () => {
  it.each(writes.map(titled))("%s", async (_title, each) => {
    const { status, headers, body } = await session.send(each.number);
    const check = new ShapeCheck(each.body);
    check.add(body);
    expect({ status, mismatches: check.mismatches, cache: headers.get("cache-control") }).toEqual({
      status: 200,
      mismatches: [],
      cache: "no-store",
    });
    expect(headers.get("content-type")).toBe(
      each.body === "nothing" ? null : "application/json; charset=utf-8",
    );
  });
});

describe("ignores unknown body members and parameters", () => {
  it.each(writes.map(titled))("%s", async (_title, each) => {
    const other = await session.freshWorkspace();
    const target = requestOf(each, { ...session.workspace.ids }, { unknown: ["1", "2"] });
    const unknown = {
      unknown: 1,
      id: fixedId(other.number, 21),
      workspaceId: fixedId(other.number, 1),
      removedAt: null,
      roles: ["users:write"],
    };
    const init = initOf(each, unknown);
    const response = await session.gateway.fetch(target, {
      as: senderFor(each, session.workspace.admin),
      ...init,
    });
    expect(response.status).toBe(200);
    await session.gateway.fetch(requestOf(each, { ...other.ids }), {
      as: senderFor(each, other.admin),
      ...initOf(each),
    });
    expect(await stateOf(session.gateway, session.workspace)).toEqual(await stateOf(session.gateway, other));
  });
});

it("accepts a body of 1 MiB", async () => {
  const { facilityId } = session.workspace.ids;
  const body = '{"name": "Gate"}'.padEnd(2 ** 20);
  const headers = { "content-type": "application/json" };
  const response = await session.gateway.fetch(`/facilities/${facilityId}`, {
    as: session.workspace.admin.user,
    method: "PATCH",
    headers,
    body,
  });
  expect(response.status).toBe(200);
});
