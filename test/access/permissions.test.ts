// Runs once: both kinds of databases run the same statements.
import { createHmac, randomUUID } from "node:crypto";
import fc from "fast-check";
import type { Permission } from "../../src/engine/access/permissions.js";
import { keepSecrets, textWithoutSecrets, withoutSecrets } from "../../src/platform/network/url-secrets.js";
import { testSecrets } from "../support/environment.js";
import {
  createAlertRule,
  createApiKey,
  createCamera,
  createFacility,
  createStreamRequest,
  createUser,
  grantAccess,
} from "../support/factories.js";
import { type Sender, sharedWorkspace } from "../support/harness.js";
import { harmlessUrls, partlyShownUrls, type VendorUrl, vendorUrl } from "./vendor-urls.js";

const { gateway, prisma, workspaceId } = await sharedWorkspace();
const here = await createFacility(prisma, { workspaceId, name: "A" });
const there = await createFacility(prisma, { workspaceId, name: "B" });

/** A user with roles and with actions at the facility `here`. */
async function newUser(
  roles: Permission[],
  actionsHere: Permission[] = [],
): Promise<{ id: string; as: Sender }> {
  const authId = `permissions|${await prisma.user.count()}`;
  const id = await createUser(prisma, { workspaceId, authId, roles });
  if (actionsHere.length > 0)
    await grantAccess(prisma, { userId: id, facilityId: here, workspaceId, actions: actionsHere });
  return { id, as: { user: authId } };
}

interface WorkspaceData {
  workspace: { id: string; users?: { id: string }[] | null; apiKeys?: { id: string }[] | null };
  facilities: { name: string; access: { actions: string[]; user: { id: string } }[] | null }[];
}

describe.each<{ field: "users" | "apiKeys"; needed: Permission }>([
  { field: "users", needed: "users:read" },
  { field: "apiKeys", needed: "api-keys:write" },
])("workspace.$field", ({ field, needed }) => {
  const query = `{ workspace { id ${field} { id } } facilities { name } }`;

  it(`is shown with ${needed} in the workspace`, async () => {
    const { id, as } = await newUser([needed]);
    const { id: key } = await createApiKey(prisma, { workspaceId, permissions: [] });
    const { workspace } = await gateway.data<WorkspaceData>(query, { as });
    expect(workspace[field]).toContainEqual({ id: field === "users" ? id : key });
  });

  it.each<[string, Permission[], Permission[], string[]]>([
    [`with ${needed} at one facility only`, [], [needed], ["A"]],
    [
      "with every other permission in the workspace",
      ["facilities:read", "cameras:write", "users:write", "alerts:delete"],
      [],
      ["A", "B"],
    ],
    ["without any permission", [], [], []],
  ])(
    `is null and FORBIDDEN %s, while the other fields are returned`,
    async (_case, roles, actions, visible) => {
      const { as } = await newUser(roles, actions);
      const { status, data, errors } = await gateway.graphql(query, { as });
      expect(status).toBe(200);
      expect(data).toEqual({
        workspace: { id: workspaceId, [field]: null },
        facilities: visible.map((name) => ({ name })),
      });
      expect(errors).toMatchObject([
        {
          path: ["workspace", field],
          message: `This needs the permission ${needed} in the workspace`,
          extensions: { code: "FORBIDDEN" },
        },
      ]);
    },
  );
});

describe("facility.access", () => {
  const query = "{ facilities { name access { actions user { id } } } }";

  it("is shown at facilities with users:read, and FORBIDDEN at others", async () => {
    const { id, as } = await newUser(["facilities:read"], ["users:read"]);
    const { status, data, errors } = await gateway.graphql<WorkspaceData>(query, { as });
    expect(status).toBe(200);
    expect(data.facilities[0]?.access).toContainEqual({ actions: ["users:read"], user: { id } });
    expect(data.facilities[1]).toEqual({ name: "B", access: null });
    expect(errors).toMatchObject([
      {
        path: ["facilities", 1, "access"],
        message: "This needs the permission users:read at the facility",
        extensions: { code: "FORBIDDEN" },
      },
    ]);
  });

  it("is shown everywhere with users:read in the workspace", async () => {
    const { id, as } = await newUser(["users:read"], ["alerts:read"]);
    const { facilities } = await gateway.data<WorkspaceData>(query, { as });
    expect(facilities[0]?.access).toContainEqual({ actions: ["alerts:read"], user: { id } });
    expect(facilities[1]?.access).toEqual([]);
  });
});

describe("the password in a camera's url", () => {
  const shownUrl = async (id: string, as: Sender) =>
    (
      await gateway.data<{ camera: { url: string } }>("query ($id: UUID!) { camera(id: $id) { url } }", {
        as,
        variables: { id },
      })
    ).camera.url;

  it.each([...partlyShownUrls, ...harmlessUrls.map((url): [string, string] => [url, url])])(
    "is hidden with all that is not known to be harmless, and kept where it is sent back as ***: %s",
    (url, shown) => {
      expect(withoutSecrets(url)).toBe(shown);
      // What is hidden as a whole is no URL, so nothing is known of its parts.
      expect(keepSecrets(shown, url)).toBe(shown === "***" ? shown : url);
    },
  );

  /** Everything about the cameras that somebody may read. */
  async function shownTo(as: Sender): Promise<string> {
    const query = `{ cameras { url streamRequests { nodes { errorMessage errorOperation } } }
      auditLog(first: 1000) { nodes { action changes } } }`;
    const answers = [await gateway.data(query, { as })];
    for (const path of ["/cameras", `/facilities/${here}/cameras`])
      answers.push(await (await gateway.fetch(path, { as })).json());
    return JSON.stringify(answers);
  }

  it("is found in each form, wherever vendors put it, and kept where it is sent back as ***", () => {
    const check = ({ url, secrets }: VendorUrl) => {
      const masked = withoutSecrets(url);
      expect(keepSecrets(masked, url)).toBe(url);
      expect(keepSecrets(elsewhere(masked), url)).toBe(elsewhere(url));
      expect(masked.slice(0, masked.indexOf("//"))).toBe(url.slice(0, url.indexOf("//")));
      const texts = [
        masked,
        textWithoutSecrets(`Cannot open <${url}>`),
        // Nothing but the URL itself tells where it ends.
        ...[`open(${url}): 401`, `${url}, again.`].map((text) => textWithoutSecrets(text, url)),
      ];
      expect(secrets.filter((secret) => texts.some((text) => text.includes(secret)))).toEqual([]);
    };
    fc.assert(fc.property(vendorUrl, check), { numRuns: 1000 });
  });

  it("is not shown in a text that repeats it without its URL, in whatever encoding", () => {
    const url = "rtsp://admin:hunter2@10.0.0.1/?pwd=a%2Fb+c";
    expect(textWithoutSecrets("401 for hunter2, a/b+c and a%2Fb%2Bc", url)).toBe("401 for ***, *** and ***");
    expect(textWithoutSecrets("401 for a%2fb%2bc and Basic YWRtaW46aHVudGVyMg==", url)).toBe(
      "401 for *** and Basic ***==",
    );
    expect(textWithoutSecrets("401 for P/s.", "rtsp://admin:P/s@10.0.0.1/")).toBe("401 for ***.");
  });

  it("is nowhere shown, not even in texts that were stored before it was known as a secret", async () => {
    const url = "http://10.0.0.1/?user=admin&pwd=sesame-street";
    const cameraId = await createCamera(prisma, { workspaceId, facilityId: here, url });
    await createStreamRequest(prisma, {
      workspaceId,
      cameraId,
      requestId: randomUUID(),
      url,
      errorMessage: `${url}: 401`,
      errorOperation: url,
    });
    await prisma.auditEntry.create({
      data: {
        workspaceId,
        actorKind: "USER",
        action: "updateCamera",
        targetType: "Camera",
        targetId: cameraId,
        changes: { url: { from: null, to: url } },
      },
    });
    const { as } = await newUser(["cameras:read", "users:read"]);
    expect(await shownTo(as)).not.toContain("sesame-street");
    expect(await shownTo(as)).toContain("http://10.0.0.1/?***&*** 401");
  });

  const elsewhere = (url: string) => url.replace(/10\.0\.0\.1(?=[:/])|(?<=[/.])\w+\.example/, "moved.test");

  const url = "rtsp://admin:secret@10.0.0.1/";
  const masked = "rtsp://admin:***@10.0.0.1/";

  it("is shown only at facilities with cameras:write", async () => {
    const near = await createCamera(prisma, { workspaceId, facilityId: here, url });
    const far = await createCamera(prisma, { workspaceId, facilityId: there, url });
    const { as } = await newUser(["cameras:read"], ["cameras:write"]);
    expect([await shownUrl(near, as), await shownUrl(far, as)]).toEqual([url, masked]);
  });

  it("follows the permissions of an API key", async () => {
    const id = await createCamera(prisma, { workspaceId, facilityId: here, url });
    const key = (permissions: Permission[]) =>
      createApiKey(prisma, { workspaceId, permissions, facilityIds: [here] });
    expect(await shownUrl(id, await key(["cameras:read", "cameras:write"]))).toBe(url);
    expect(await shownUrl(id, await key(["cameras:read"]))).toBe(masked);
  });
});

describe("a rule's apiNotification", () => {
  it("shows the origin of its URL alone to callers without alert-rules:write at the facility, through both APIs", async () => {
    const [whole, origin] = ["https://hook.example:8443/a?b=c", "https://hook.example:8443"];
    const shown = async (facilityId: string, as: Sender) => {
      const cameraId = await createCamera(prisma, { workspaceId, facilityId });
      await createAlertRule(prisma, { cameraId, notificationUrl: whole });
      const query = "query ($id: UUID!) { camera(id: $id) { alertRules { apiNotification { url } } } }";
      type Rules = { apiNotification: { url: string } }[];
      const { camera } = await gateway.data<{ camera: { alertRules: Rules } }>(query, {
        as,
        variables: { id: cameraId },
      });
      const { data } = (await (await gateway.fetch(`/cameras/${cameraId}/alert_rules`, { as })).json()) as {
        data: Rules;
      };
      return [camera.alertRules, data].map(([rule]) => rule?.apiNotification.url);
    };
    const { as } = await newUser(["cameras:read"], ["alert-rules:write"]);
    expect(await shown(here, as)).toEqual([whole, whole]);
    expect(await shown(there, as)).toEqual([origin, origin]);
  });

  it("is shown as a whole to those who change the rule with alert-rules:write at its facility alone", async () => {
    const url = "https://hook.example/a";
    const id = await createAlertRule(prisma, {
      cameraId: await createCamera(prisma, { workspaceId, facilityId: here }),
      notificationUrl: url,
    });
    const { as } = await newUser([], ["alert-rules:write"]);
    const mutation = `mutation ($id: UUID!) {
      updateAlertRule(id: $id, input: { status: "PAUSED" }) { apiNotification { url } }
      deleteAlertRule(id: $id) { apiNotification { url } }
    }`;
    const shown = { apiNotification: { url } };
    expect(await gateway.data(mutation, { as, variables: { id } })).toEqual({
      updateAlertRule: shown,
      deleteAlertRule: shown,
    });
  });
});

it("supportHash is the HMAC of the user's id on me, and null on every other path, even to the same user", async () => {
  const { id, as } = await newUser(["users:read"], ["users:read"]);
  const query =
    "{ me { id supportHash } workspace { users { id supportHash } } facilities { access { user { id supportHash } } } }";
  const data = await gateway.data<{
    me: object;
    workspace: { users: { supportHash: null }[] };
    facilities: { access: { user: { supportHash: null } }[] }[];
  }>(query, { as });
  expect(data.me).toEqual({
    id,
    supportHash: createHmac("sha256", testSecrets.SUPPORT_HASH_SECRET).update(id).digest("hex"),
  });
  expect(data.workspace.users).toContainEqual({ id, supportHash: null });
  expect(data.workspace.users.filter((user) => user.supportHash !== null)).toEqual([]);
  const accesses = data.facilities.flatMap((facility) => facility.access);
  expect(accesses).toContainEqual({ user: { id, supportHash: null } });
  expect(accesses.filter(({ user }) => user.supportHash !== null)).toEqual([]);
});

describe("viewerPermissions", () => {
  const query = "{ workspace { viewerPermissions } facilities { name viewerPermissions } }";

  it("lists a user's permissions, sorted, in the whole workspace and at each facility", async () => {
    const { as } = await newUser(
      ["facilities:write", "alerts:read"],
      ["users:read", "alerts:read", "alerts:delete"],
    );
    const inWorkspace = ["alerts:read", "facilities:write"];
    expect(await gateway.data(query, { as })).toEqual({
      workspace: { viewerPermissions: inWorkspace },
      facilities: [
        { name: "A", viewerPermissions: ["alerts:delete", "alerts:read", "facilities:write", "users:read"] },
        { name: "B", viewerPermissions: inWorkspace },
      ],
    });
  });

  it("are those of an API key, in the workspace only if it is not limited to facilities", async () => {
    const held: Permission[] = ["cameras:write", "alerts:read"];
    const sorted = held.toSorted();
    const limited = await createApiKey(prisma, {
      workspaceId,
      permissions: held,
      facilityIds: [there],
    });
    expect(await gateway.data(query, { as: limited })).toEqual({
      workspace: { viewerPermissions: [] },
      facilities: [{ name: "B", viewerPermissions: sorted }],
    });
    const unlimited = await createApiKey(prisma, { workspaceId, permissions: held });
    expect(await gateway.data("{ workspace { viewerPermissions } }", { as: unlimited })).toEqual({
      workspace: { viewerPermissions: sorted },
    });
  });
});

it("a change of a user's grants or roles takes effect on the next request", async () => {
  const { id, as } = await newUser([], ["alerts:read"]);
  const seen = () => gateway.data("{ facilities { name } }", { as });
  expect(await seen()).toEqual({ facilities: [{ name: "A" }] });
  await prisma.facilityAccess.updateMany({ where: { userId: id }, data: { actions: [] } });
  expect(await seen()).toEqual({ facilities: [] });
  await prisma.user.updateMany({ where: { id }, data: { roles: ["alerts:read"] } });
  expect(await seen()).toEqual({ facilities: [{ name: "A" }, { name: "B" }] });
});
