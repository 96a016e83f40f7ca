// Runs once: both kinds of databases run the same statements.
import { inject } from "vitest";
import { Prisma } from "../../src/generated/prisma/client.js";
import { createAlertRule, createUser } from "../support/factories.js";
import type { Gateway, Sender } from "../support/harness.js";
import { plainPng } from "../support/png.js";
import { caseOf, initOf, requestOf } from "../support/route-cases.js";
import { TestSite } from "../support/test-site.js";
import { createTestWorkspace, senderFor, stateOf, type TestWorkspace } from "../support/test-workspace.js";

const { server } = inject("resources");
const hour = 3_600_000;

// Behind the clock by which tokens are signed, so that none expires while this moves on.
let time = Date.now() - 7 * 86_400_000;
let site: TestSite;
let gateway: Gateway;
const start = (environment: Record<string, string> = {}) =>
  site.start({ now: () => new Date(time), environment });
beforeAll(async () => {
  site = await TestSite.open();
  gateway = await start();
});
afterAll(async () => {
  await gateway.close();
  await site.remove();
});

const freshWorkspace = () => createTestWorkspace(gateway.prisma);

const addCamera = `mutation ($id: UUID!, $name: String!) {
  createCamera(facilityId: $id, input: { name: $name, url: "rtsp://camera.example/1", streamType: DIRECT }) { camera { id name } requestId }
}`;

function sendCamera(
  workspace: TestWorkspace,
  key: string,
  { name = "Made", as = workspace.admin.user }: { name?: string; as?: Sender } = {},
) {
  const variables = { id: workspace.ids.facilityId, name };
  return gateway.graphql<{ createCamera: { camera: { id: string } } }>(addCamera, {
    as,
    variables,
    headers: { "idempotency-key": key },
  });
}

const isUsed = "This Idempotency-Key was used for another request: use a new one";

describe("a request with the Idempotency-Key of an earlier one", () => {
  it("repeats only those of several changes that were not made", async () => {
    const workspace = await freshWorkspace();
    const { facilityId, workspaceId } = workspace.ids;
    const several = `mutation ($id: UUID!, $rule: UUID!) {
      one: renameFacility(id: $id, name: "One") { name }
      two: deleteAlertRule(id: $rule) { id }
      three: createFacility(input: { name: "Three", timeZoneId: "UTC" }) { id }
    }`;
    const rule = "0198f000-0000-7000-8000-00000000000a";
    const send = () =>
      gateway.graphql<{ three: { id: string } }>(several, {
        as: workspace.admin.user,
        variables: { id: facilityId, rule },
        headers: { "idempotency-key": "several" },
      });
    const first = await send();
    expect(first.errors).toMatchObject([{ path: ["two"], extensions: { code: "NOT_FOUND" } }]);
    await createAlertRule(gateway.prisma, { id: rule, workspaceId, cameraId: workspace.ids.cameraId });
    await gateway.data(`mutation ($id: UUID!) { renameFacility(id: $id, name: "Since") { name } }`, {
      as: workspace.admin.user,
      variables: { id: facilityId },
    });
    const second = await send();
    expect(second.errors).toBeUndefined();
    expect(second.data).toMatchObject({ one: { name: "One" }, two: { id: rule } });
    const facilities = await gateway.prisma.facility.findMany({ where: { workspaceId } });
    expect(facilities.map(({ name }) => name).sort()).toEqual(["Beside", "Since", "Three"]);
    expect(facilities.find(({ name }) => name === "Three")?.id).toBe(second.data.three.id);
  });

  it("is carried out if the earlier one failed", async () => {
    const workspace = await freshWorkspace();
    expect((await sendCamera(workspace, "failed", { name: " " })).errors).toMatchObject([
      { extensions: { code: "BAD_REQUEST" } },
    ]);
    expect((await sendCamera(workspace, "failed")).errors).toBeUndefined();
  });

  it("is carried out for another caller", async () => {
    const [ours, theirs] = [await freshWorkspace(), await freshWorkspace()];
    const cameras = [
      await sendCamera(ours, "taken"),
      await sendCamera(ours, "taken", { as: ours.admin.key }),
      await sendCamera(ours, "taken", { as: ours.local.user }),
      await sendCamera(theirs, "taken"),
    ];
    expect(new Set(cameras.map(({ data }) => data.createCamera.camera.id)).size).toBe(4);
  });

  it("is FORBIDDEN once its caller has lost a permission, and shows nothing of the outcome", async () => {
    const workspace = await freshWorkspace();
    const { facilityId } = workspace.ids;
    const query = `mutation { createApiKey(input: { name: "Made", permissions: ["alerts:read"] }) { key } }`;
    const newKey = (as: Sender) =>
      gateway.graphql<unknown>(query, { as, headers: { "idempotency-key": "lost" } });
    const newCamera = () => sendCamera(workspace, "lost camera", { as: workspace.local.user });
    expect((await newCamera()).errors).toBeUndefined();
    const change = (name: string) =>
      `mutation ($id: UUID!, $user: UUID!) { ${name}(facilityId: $id, userId: $user, actions: ["users:read"]) { actions } }`;
    const variables = { id: facilityId, user: workspace.localId };
    await gateway.data(change("removeFacilityAccess"), { as: workspace.admin.user, variables });
    const isLost = [
      {
        message: expect.stringContaining("you have fewer permissions now"),
        extensions: { code: "FORBIDDEN" },
      },
    ];
    expect(await newCamera()).toMatchObject({ data: null, errors: isLost });
    await gateway.data(change("grantFacilityAccess"), { as: workspace.admin.user, variables });
    expect((await newCamera()).errors).toBeUndefined();
    expect((await newKey(workspace.admin.user)).errors).toBeUndefined();
    await createUser(gateway.prisma, { workspaceId: workspace.ids.workspaceId, roles: ["users:write"] });
    const roles = `mutation ($id: UUID!) { setUserRoles(userId: $id, roles: ["api-keys:write"]) { id } }`;
    await gateway.data(roles, { as: workspace.admin.user, variables: { id: workspace.adminId } });
    expect(await newKey(workspace.admin.user)).toMatchObject({ data: null, errors: isLost });
  });

  it("is carried out after 24 hours, when nothing is kept of the first", async () => {
    const workspace = await freshWorkspace();
    const { workspaceId } = workspace.ids;
    const first = (await sendCamera(workspace, "yesterday")).data.createCamera;
    time += 24 * hour - 60_000;
    expect((await sendCamera(workspace, "yesterday")).data.createCamera).toEqual(first);
    time += 60_000;
    const second = (await sendCamera(workspace, "yesterday")).data.createCamera;
    expect(second.camera.id).not.toBe(first.camera.id);
    expect((await sendCamera(workspace, "yesterday")).data.createCamera).toEqual(second);
    // A round of purging that begins before the clock moves may have passed the workspace.
    await gateway.app.idle();
    time += 24 * hour;
    // It wakes the workers.
    await gateway.graphql("mutation ($id: UUID!) { deleteCamera(id: $id) { id } }", {
      as: workspace.admin.user,
      variables: { id: second.camera.id },
      headers: { "idempotency-key": "now" },
    });
    await gateway.app.idle();
    expect(
      await gateway.prisma.keyedOutcome.findMany({ where: { workspaceId }, select: { key: true } }),
    ).toEqual([{ key: "now" }]);
  });

  it.each([
    ["another variable", (workspace: TestWorkspace) => sendCamera(workspace, "used", { name: "Other" })],
    [
      "another document",
      (workspace: TestWorkspace) =>
        gateway.graphql(`mutation { createFacility(input: { name: "Made", timeZoneId: "UTC" }) { id } }`, {
          as: workspace.admin.user,
          headers: { "idempotency-key": "used" },
        }),
    ],
  ])("is CONFLICT with %s", async (_what, send) => {
    const workspace = await freshWorkspace();
    await sendCamera(workspace, "used");
    const before = await stateOf(gateway, workspace);
    expect((await send(workspace)).errors).toMatchObject([
      { message: isUsed, extensions: { code: "CONFLICT" } },
    ]);
    expect(await stateOf(gateway, workspace)).toEqual(before);
  });

  it("is CONFLICT with another body, path or file by REST", async () => {
    const workspace = await freshWorkspace();
    const each = caseOf(15);
    const send = (values: Record<string, unknown>, facilityId = workspace.ids.facilityId) =>
      gateway.fetch(requestOf(each, { ...workspace.ids, facilityId }), {
        as: senderFor(each, workspace.admin),
        ...initOf(each, values),
        headers: { "Idempotency-Key": "form" },
      });
    expect((await send({})).status).toBe(200);
    const others = [
      () => send({ cameraName: "Other" }),
      () => send({}, workspace.beside.facilityId),
      () => send({ cameraImage: plainPng([9, 9, 9]) }),
    ];
    for (const sendOther of others)
      expect(await (await sendOther()).json()).toMatchObject({ code: "CONFLICT", message: isUsed });
    expect((await send({})).status).toBe(200);
  });

  it.each(["", "x".repeat(201), "schl\u00fcssel"])("is BAD_REQUEST with the key %j", async (key) => {
    const workspace = await freshWorkspace();
    const { status, errors } = await sendCamera(workspace, key);
    expect({ status, errors }).toMatchObject({
      status: 400,
      errors: [
        {
          message: "Idempotency-Key: must have 1 to 200 printable ASCII characters",
          extensions: { code: "BAD_REQUEST" },
        },
      ],
    });
  });

  it("is carried out each time if it only reads", async () => {
    const workspace = await freshWorkspace();
    const headers = { "idempotency-key": "\u00e9" };
    const { data } = await gateway.graphql<object>("{ facilities { name } }", {
      as: workspace.admin.user,
      headers,
    });
    expect(data).toMatchObject({ facilities: [{ name: "Beside" }, { name: "Quay" }] });
    expect((await gateway.fetch("/cameras", { as: workspace.admin.user, headers })).status).toBe(200);
  });
});

it("keeps a new API key encrypted, and returns it to its creator as long as the secret is in use", async () => {
  const workspace = await freshWorkspace();
  const query = `mutation { createApiKey(input: { name: "Made", permissions: ["alerts:read"] }) { key apiKey { id } } }`;
  const send = () =>
    gateway.graphql<{ createApiKey: { key: string } }>(query, {
      as: workspace.admin.user,
      headers: { "idempotency-key": "secret" },
    });
  const first = await send();
  const { key } = first.data.createApiKey;
  const [kept] = await gateway.prisma.keyedOutcome.findMany({
    where: { workspaceId: workspace.ids.workspaceId },
  });
  expect(Buffer.from(kept?.outcome ?? []).includes(key.slice(4))).toBe(false);
  const restart = async (LINK_SECRET?: string) => {
    await gateway.close();
    gateway = await start(LINK_SECRET === undefined ? {} : { LINK_SECRET });
  };
  const [old, later] = ["1f".repeat(32), "2e".repeat(32)];
  await restart(old);
  await gateway.prisma.keyedOutcome.deleteMany();
  const sealed = (await send()).data;
  await restart(`${later},${old}`);
  expect((await send()).data).toEqual(sealed);
  await restart(later);
  expect((await send()).errors).toMatchObject([
    {
      message:
        "The request with this Idempotency-Key was carried out, but its outcome cannot be read any more",
      extensions: { code: "CONFLICT" },
    },
  ]);
  await restart();
});

describe.runIf(server)("while a request with the same Idempotency-Key is running", () => {
  it("is CONFLICT with Retry-After, at this instance and another", async () => {
    const workspace = await freshWorkspace();
    const { workspaceId, facilityId } = workspace.ids;
    const other = await start();
    let running: ReturnType<typeof sendCamera> | undefined;
    await gateway.prisma.$transaction(async (transaction) => {
      await transaction.$queryRaw(
        Prisma.sql`SELECT FROM "Facility" WHERE "workspaceId" = ${workspaceId}::uuid AND "id" = ${facilityId}::uuid FOR UPDATE`,
      );
      running = sendCamera(workspace, "running");
      await expect
        .poll(
          () =>
            gateway.prisma
              .$queryRaw`SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        )
        .toHaveLength(1);
      for (const each of [gateway, other]) {
        const { errors, headers } = await each.graphql(addCamera, {
          as: workspace.admin.user,
          variables: { id: facilityId, name: "Made" },
          headers: { "idempotency-key": "running" },
        });
        expect({ errors, retryAfter: headers.get("retry-after") }).toMatchObject({
          errors: [
            {
              message: "A request with this Idempotency-Key is being carried out; it is safe to retry",
              extensions: { code: "CONFLICT" },
            },
          ],
          retryAfter: "1",
        });
      }
    });
    const { data } = (await running) as Awaited<ReturnType<typeof sendCamera>>;
    expect((await sendCamera(workspace, "running")).data).toEqual(data);
    expect(await gateway.prisma.camera.count({ where: { workspaceId, name: "Made" } })).toBe(1);
    await other.close();
  });
});
