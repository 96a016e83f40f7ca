// Runs once: both kinds of databases run the same statements.
import type { Permission } from "../../src/engine/access/permissions.js";
import {
  createAdmin,
  createFacility,
  createTestUser,
  createUser,
  createWorkspace,
  type TestUser,
} from "../support/factories.js";
import { type Call, refusal, run, type Sender, sharedGateway, sharedWorkspace } from "../support/harness.js";

/** Nobody accepts mail there. */
const mail = { SMTP_URL: "smtp://127.0.0.1:1", MAIL_FROM: "gateway@test.example" };
const now = new Date("2026-11-20T12:00:00.000Z");
const { gateway, workspaceId } = await sharedWorkspace({ now: () => now, environment: mail });
const facilityId = await createFacility(gateway.prisma, { workspaceId });
const admin = await createAdmin(gateway.prisma, workspaceId);

const fields = "digest { enabled at timeZoneId facilityIds }";
const set = (input: object = {}): Call => [
  `mutation ($input: DigestInput!) { setDigest(input: $input) { ${fields} } }`,
  { input: { enabled: true, timeZoneId: "Europe/Istanbul", ...input } },
];
const own = async (caller: TestUser) => {
  const { me } = await gateway.data<{ me: { digest: object | null } }>(`{ me { ${fields} } }`, caller);
  return me.digest;
};
const stored = (userId: string) => gateway.prisma.digest.findFirst({ where: { workspaceId, userId } });
const newUser = () => createTestUser(gateway.prisma, { workspaceId, roles: ["alerts:read"] });

describe("setDigest", () => {
  it("sets the whole digest, which is at 07:00 and about all facilities unless it says otherwise", async () => {
    const caller = await newUser();
    expect(await own(caller)).toBeNull();
    const digest = { enabled: true, at: "07:00", timeZoneId: "Europe/Istanbul", facilityIds: [] };
    expect(await run(gateway, caller, set())).toEqual({ setDigest: { digest } });
    const other = { at: "18:30", timeZoneId: "Asia/Kolkata", facilityIds: [facilityId] };
    await run(gateway, caller, set({ ...other, facilityIds: [facilityId, facilityId] }));
    expect(await own(caller)).toEqual({ enabled: true, ...other });
    expect(await stored(caller.id)).toMatchObject({ dueAt: new Date("2026-11-20T13:00:00Z") });
    await run(gateway, caller, set({ enabled: false, at: null, facilityIds: null }));
    expect(await own(caller)).toEqual({ ...digest, enabled: false });
    expect(await stored(caller.id)).toMatchObject({ dueAt: null });
  });

  it("is for users with an email address, who may still end their digest", async () => {
    const authId = "without address";
    await createUser(gateway.prisma, { workspaceId, authId, email: "" });
    const caller = { as: { user: authId } as Sender };
    expect(await refusal(gateway, caller, set())).toMatchObject({
      code: "BAD_REQUEST",
      paths: ["input.enabled"],
    });
    await run(gateway, caller, set({ enabled: false }));
  });

  it("is UNAVAILABLE where no email is set up", async () => {
    const without = await sharedGateway();
    const caller = await createTestUser(without.prisma, {
      workspaceId: await createWorkspace(without.prisma),
    });
    expect(await refusal(without, caller, set())).toMatchObject({ code: "UNAVAILABLE" });
  });

  it("says so, and nothing of trying again, after another change of the same document", async () => {
    const without = await sharedGateway();
    const caller = await createTestUser(without.prisma, {
      workspaceId: await createWorkspace(without.prisma),
    });
    const digest = `{ enabled: true, at: "07:00", timeZoneId: "Europe/Berlin", facilityIds: [] }`;
    const { errors } = await without.graphql(
      `mutation { markSeen(at: "2026-01-01T00:00:00Z") { id } setDigest(input: ${digest}) { id } }`,
      caller,
    );
    expect(errors).toMatchObject([
      { message: "This gateway is not set up to send email", extensions: { code: "UNAVAILABLE" } },
    ]);
  });
});

it("a digest is seen by its user, and by those with users:read in the workspace alone", async () => {
  const at = (actions: Permission[]) =>
    createTestUser(gateway.prisma, { workspaceId, at: { [facilityId]: actions } });
  const [caller, limited] = [await at(["alerts:read"]), await at(["users:read"])];
  await run(gateway, caller, set());
  const seenBy = async (as: Sender) => {
    const query = `query ($facilityId: UUID!) { facility(id: $facilityId) { access { user { id digest { at } } } } }`;
    const { facility } = await gateway.data<{
      facility: { access: { user: { id: string; digest: object | null } }[] };
    }>(query, { as, variables: { facilityId } });
    return facility.access.find(({ user }) => user.id === caller.id)?.user.digest;
  };
  expect(await seenBy(admin.as)).toEqual({ at: "07:00" });
  expect(await seenBy(limited.as)).toBeNull();
});

it("a digest goes with its user", async () => {
  const caller = await newUser();
  await run(gateway, caller, set());
  await run(gateway, admin, ["mutation ($id: UUID!) { removeUser(userId: $id) { id } }", { id: caller.id }]);
  expect(await stored(caller.id)).toBeNull();
});
