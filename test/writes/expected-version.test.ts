// Runs once: both kinds of databases run the same statements.
import {
  createAdmin,
  createAlertRule,
  createCamera,
  createFacility,
  createTestUser,
  createWorkspace,
} from "../support/factories.js";
import { type Call, ownGateway, refusal, run } from "../support/harness.js";

/** Later than all records are made, so that each update is at the time of the clock, and earlier than tokens end. */
const start = Math.floor(Date.now() / 1000) * 1000 + 600_000;
let clock = start;
const gateway = await ownGateway({ now: () => new Date(clock) });

const workspaceId = await createWorkspace(gateway.prisma);
const facilityId = await createFacility(gateway.prisma, { workspaceId });
const admin = await createAdmin(gateway.prisma, workspaceId);

/** The records whose updates may name the version that they are based on. */
const records: {
  mutation: string;
  type: string;
  /** The field that is changed, by default the name. */
  name?: string;
  create: () => Promise<string>;
}[] = [
  {
    mutation: "updateCamera",
    type: "Camera",
    create: () => createCamera(gateway.prisma, { workspaceId, facilityId }),
  },
  {
    mutation: "updateUser",
    type: "User",
    name: "firstName",
    create: async () => (await createTestUser(gateway.prisma, { workspaceId })).id,
  },
  {
    mutation: "updateFacility",
    type: "Facility",
    create: () => createFacility(gateway.prisma, { workspaceId }),
  },
  {
    mutation: "updateAlertRule",
    type: "AlertRule",
    create: async () =>
      createAlertRule(gateway.prisma, {
        cameraId: await createCamera(gateway.prisma, { workspaceId, facilityId }),
      }),
  },
];

describe.each(records)(
  "$mutation with expectedUpdatedAt",
  ({ mutation, type, name: field = "name", create }) => {
    interface Version {
      name: string;
      updatedAt: string;
    }
    const update = (id: string, input: object): Call => [
      `mutation ($id: UUID!, $input: Update${type}Input!) { it: ${mutation}(id: $id, input: $input) { name: ${field} updatedAt } }`,
      {
        id,
        input: Object.fromEntries(
          Object.entries(input).map(([name, value]) => [name === "name" ? field : name, value]),
        ),
      },
    ];
    const updated = async (id: string, input: object) => {
      clock += 1000;
      return (await run<{ it: Version }>(gateway, admin, update(id, input))).it;
    };

    it("changes the record only while it is as the caller knows it", async () => {
      const id = await create();
      const { updatedAt } = await updated(id, { name: "First" });
      const theirs = await updated(id, { name: "Theirs", expectedUpdatedAt: updatedAt });
      expect(theirs.updatedAt).toBe(new Date(clock).toISOString());
      clock += 1000;
      const late = update(id, { name: "Mine", expectedUpdatedAt: updatedAt });
      expect(await refusal(gateway, admin, late)).toEqual({
        code: "CONFLICT",
        message: `Somebody else has changed it meanwhile, at ${theirs.updatedAt}; nothing was changed now`,
      });
      expect(await updated(id, { expectedUpdatedAt: theirs.updatedAt })).toMatchObject({ name: "Theirs" });
    });

    it("refuses a version that the record never had, and null", async () => {
      const id = await create();
      const { updatedAt } = await updated(id, { name: "First" });
      const later = new Date(Date.parse(updatedAt) + 1).toISOString();
      const early = update(id, { name: "Mine", expectedUpdatedAt: later });
      expect(await refusal(gateway, admin, early)).toMatchObject({ code: "CONFLICT" });
      const none = update(id, { name: "Mine", expectedUpdatedAt: null });
      expect(await refusal(gateway, admin, none)).toMatchObject({
        code: "BAD_REQUEST",
        paths: ["input.expectedUpdatedAt"],
      });
      expect(await updated(id, { expectedUpdatedAt: updatedAt })).toMatchObject({ name: "First" });
    });

    it("lets only one of several concurrent updates of a version through", async () => {
      const id = await create();
      const { updatedAt } = await updated(id, { name: "First" });
      clock += 1000;
      const answers = await Promise.all(
        ["A", "B", "C", "D"].map((name) => {
          const [query, variables] = update(id, { name, expectedUpdatedAt: updatedAt });
          return gateway.graphql(query, { ...admin, variables });
        }),
      );
      expect(answers.map(({ errors }) => errors?.[0]?.extensions.code ?? "changed").sort()).toEqual([
        ...["CONFLICT", "CONFLICT", "CONFLICT"],
        "changed",
      ]);
    });
  },
);
