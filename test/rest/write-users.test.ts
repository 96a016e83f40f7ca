// Runs once: REST runs the statements of GraphQL, which are tested on every kind of
// database.
import { describe, expect, it } from "vitest";
import { restSessionOfFile } from "./rest-session.js";

const session = restSessionOfFile();

describe("25 renames a facility", () => {
  it("for every caller who may read it", async () => {
    await session.done(33, { body: { actions: ["facilities:read"], userId: session.workspace.memberId } });
    for (const [index, as] of [
      session.workspace.admin.user,
      session.workspace.local.user,
      session.workspace.local.key,
      session.workspace.member,
    ].entries()) {
      const name = `Name ${index} `.padEnd(200, "é");
      await session.done(25, { as, body: { name } });
      expect((await session.read(`/facilities/${session.workspace.ids.facilityId}`)).body.data.name).toBe(
        name,
      );
      const query = "query ($id: UUID!) { facility(id: $id) { name } }";
      expect(await session.data(query, { id: session.workspace.ids.facilityId })).toEqual({
        facility: { name },
      });
    }
    expect((await session.read(`/facilities/${session.workspace.beside.facilityId}`)).body.data.name).toBe(
      "Beside",
    );
  });
});

describe("28 records a heartbeat of a facility's device", () => {
  const facility = async () =>
    (
      await session.data<{ facility: object }>(
        "query ($id: UUID!) { facility(id: $id) { lastHeartbeatAt online } }",
        {
          id: session.workspace.ids.facilityId,
        },
      )
    ).facility;

  it("which keeps it online until the timeout, for every key that can see the facility", async () => {
    expect(await facility()).toEqual({ lastHeartbeatAt: null, online: false });
    for (const as of [
      session.workspace.onlooker.key,
      session.workspace.local.key,
      session.workspace.admin.key,
    ]) {
      session.clock = new Date(session.clock.getTime() + 1000);
      await session.done(28, { as });
      expect(await facility()).toEqual({ lastHeartbeatAt: session.clock.toISOString(), online: true });
    }
    const lastHeartbeatAt = session.clock.toISOString();
    session.clock = new Date(session.clock.getTime() + 299_000);
    expect(await facility()).toEqual({ lastHeartbeatAt, online: true });
    session.clock = new Date(session.clock.getTime() + 2_000);
    expect(await facility()).toEqual({ lastHeartbeatAt, online: false });
  });
});

describe("30 changes the calling user", () => {
  it.each([
    ["a new name and title", { firstName: "Grace", lastName: "Hopper", jobTitle: "Admiral" }],
    ["an empty title", { firstName: "Grace", lastName: "Hopper", jobTitle: "" }],
    [
      "values of maximum length",
      { firstName: "G".repeat(100), lastName: "H".repeat(100), jobTitle: "A".repeat(200) },
    ],
  ])("to %s, and updates the full name", async (_what, body) => {
    const { text, headers } = await session.send(30, { as: session.workspace.member, body });
    expect([text, headers.get("content-length")]).toEqual(["", "0"]);
    const expected = { ...body, fullName: `${body.firstName} ${body.lastName}` };
    expect((await session.read("/user", session.workspace.member)).body.data).toMatchObject(expected);
    const query = "{ me { firstName lastName fullName jobTitle } }";
    expect(await session.gateway.data(query, { as: session.workspace.member })).toEqual({ me: expected });
    expect((await session.read("/user")).body.data).toMatchObject({
      firstName: "Ada",
      lastName: "Lovelace",
      jobTitle: "Safety",
    });
  });
});

describe("32 parses a phone number", () => {
  const numbers: [string, string, object][] = [
    [
      "0532 123 45 67",
      "TR",
      { nationalNumber: 5321234567, region: "TR", countryCode: 90, e164Format: "+905321234567" },
    ],
    [
      "+90 (532) 123-45-67",
      "tr",
      { nationalNumber: 5321234567, region: "TR", countryCode: 90, e164Format: "+905321234567" },
    ],
    [
      "020-6241111",
      "NL",
      { nationalNumber: 206241111, region: "NL", countryCode: 31, e164Format: "+31206241111" },
    ],
    [
      "(11) 96123-4567",
      "BR",
      { nationalNumber: 11961234567, region: "BR", countryCode: 55, e164Format: "+5511961234567" },
    ],
    [
      "984-1234567",
      "NP",
      { nationalNumber: 9841234567, region: "NP", countryCode: 977, e164Format: "+9779841234567" },
    ],
    [
      "(201) 555-0123",
      "US",
      { nationalNumber: 2015550123, region: "US", countryCode: 1, e164Format: "+12015550123" },
    ],
    [
      "506 234 5678",
      "CA",
      { nationalNumber: 5062345678, region: "CA", countryCode: 1, e164Format: "+15062345678" },
    ],
    [
      "0151 23456789",
      "DE",
      { nationalNumber: 15123456789, region: "DE", countryCode: 49, e164Format: "+4915123456789" },
    ],
    [
      "02 1234 5678",
      "IT",
      { nationalNumber: 212345678, region: "IT", countryCode: 39, e164Format: "+390212345678" },
    ],
  ];
  it.each(numbers)("%s of %s", async (phoneNumber, region, expected) => {
    await session.done(32, { as: session.workspace.member, body: { phoneNumber, region } });
    expect((await session.read("/user", session.workspace.member)).body.data.phoneNumber).toEqual(expected);
    const query = "{ me { phoneNumber { nationalNumber region countryCode e164Format } } }";
    expect(await session.gateway.data(query, { as: session.workspace.member })).toEqual({
      me: { phoneNumber: expected },
    });
    expect((await session.read("/user")).body.data.phoneNumber).toBeNull();
  });
});

describe("33 and 34 grant and remove actions at a facility", () => {
  const all = async () => (await session.access())[session.workspace.localId] as string[];

  it("for a user of the workspace, effective on the next request", async () => {
    const { facilityId } = session.workspace.ids;
    const path = `/facilities/${facilityId}`;
    expect((await session.read(path, session.workspace.member)).status).toBe(404);
    await session.done(33, {
      body: { actions: ["alerts:read", "cameras:read"], userId: session.workspace.memberId.toUpperCase() },
    });
    expect((await session.access())[session.workspace.memberId]).toEqual(["alerts:read", "cameras:read"]);
    expect((await session.read(path, session.workspace.member)).status).toBe(403);
    await session.done(33, { body: { actions: ["facilities:read"], userId: session.workspace.memberId } });
    expect((await session.access())[session.workspace.memberId]).toEqual([
      "alerts:read",
      "cameras:read",
      "facilities:read",
    ]);
    expect((await session.read(path, session.workspace.member)).status).toBe(200);
    expect(
      (await session.read(`/facilities/${session.workspace.beside.facilityId}`, session.workspace.member))
        .status,
    ).toBe(404);
    await session.done(34, {
      body: { actions: ["facilities:read", "alerts:read"], userId: session.workspace.memberId },
    });
    expect((await session.access())[session.workspace.memberId]).toEqual(["cameras:read"]);
    expect((await session.read(path, session.workspace.member)).status).toBe(403);
    await session.done(34, { body: { actions: ["cameras:read"], userId: session.workspace.memberId } });
    expect((await session.access())[session.workspace.memberId]).toBeUndefined();
    expect((await session.read(path, session.workspace.member)).status).toBe(404);
  });

  it.each([
    ["without a userId", {}],
    ["with a userId of null", { userId: null }],
  ])("for the caller, %s", async (_how, body) => {
    await session.done(33, { body: { actions: ["alerts:read"], ...body } });
    expect((await session.access())[session.workspace.adminId]).toEqual(["alerts:read"]);
    await session.done(34, { body: { actions: ["alerts:read"], ...body } });
    expect((await session.access())[session.workspace.adminId]).toBeUndefined();
  });

  it("idempotently, ignoring actions that are not held", async () => {
    const body = { actions: ["alerts:read", "cameras:read"], userId: session.workspace.memberId };
    const untouched = await session.access();
    await session.done(34, { body });
    expect(await session.access()).toEqual(untouched);
    await session.done(33, { body });
    const granted = await session.access();
    await session.done(33, { body });
    await session.done(33, { body: { ...body, actions: ["cameras:read"] } });
    await session.done(34, { body: { ...body, actions: ["users:write"] } });
    expect(await session.access()).toEqual(granted);
    expect(granted[session.workspace.memberId]).toEqual(["alerts:read", "cameras:read"]);
    await session.done(34, { body });
    await session.done(34, { body });
    expect(await session.access()).toEqual(untouched);
  });

  it("and deduplicate actions", async () => {
    await session.done(33, {
      body: { actions: ["alerts:read", "alerts:read"], userId: session.workspace.memberId },
    });
    expect((await session.access())[session.workspace.memberId]).toEqual(["alerts:read"]);
  });

  it("by a caller or key with users:write at that facility only", async () => {
    for (const as of [session.workspace.local.user, session.workspace.local.key]) {
      await session.done(33, { as, body: { actions: ["alerts:read"], userId: session.workspace.memberId } });
      expect((await session.access())[session.workspace.memberId]).toEqual(["alerts:read"]);
      await session.done(34, { as, body: { actions: ["alerts:read"], userId: session.workspace.memberId } });
      expect((await session.access())[session.workspace.memberId]).toBeUndefined();
    }
  });

  it("even from the callers themselves, who then cannot grant it back", async () => {
    await session.done(34, {
      as: session.workspace.local.user,
      body: { actions: ["alerts:delete", "users:write"] },
    });
    expect(await all()).not.toEqual(expect.arrayContaining(["alerts:delete"]));
    expect(
      await session.send(33, { as: session.workspace.local.user, body: { actions: ["alerts:delete"] } }),
    ).toMatchObject({ status: 403 });
  });

  it("without changing roles in the workspace", async () => {
    await session.done(34, { body: { actions: ["facilities:read"] } });
    expect((await session.read(`/facilities/${session.workspace.ids.facilityId}`)).status).toBe(200);
    expect((await session.read("/user")).body.data.roles).toContain("facilities:read");
  });
});
