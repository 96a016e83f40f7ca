// Runs once: both kinds of databases run the same statements.
import { createAlertRule } from "../support/factories.js";
import { run, type Sender, sharedGateway } from "../support/harness.js";
import { createTestWorkspace, type TestWorkspace } from "../support/test-workspace.js";

const gateway = await sharedGateway();
const { prisma } = gateway;

const entriesOf = ({ ids: { workspaceId } }: TestWorkspace) =>
  prisma.auditEntry.findMany({ where: { workspaceId }, orderBy: { id: "asc" } });

describe("an entry says by which way a change came, and what the client called itself", () => {
  const rename = ({ ids }: TestWorkspace, headers: Record<string, string>, as: Sender) =>
    gateway.graphql('mutation ($id: UUID!) { renameFacility(id: $id, name: "Sent") { id } }', {
      ...{ as, headers, variables: { id: ids.facilityId } },
    });

  it.each<[client: string, headers: Record<string, string>, entry: object]>([
    ["has a name", { "apollographql-client-name": "dashboard" }, { client: "dashboard" }],
    ["has an empty name", { "apollographql-client-name": "" }, { client: "node" }],
    [
      "calls itself a connector",
      { "apollographql-client-name": "connector-frigate" },
      { via: "CONNECTOR", client: "connector-frigate" },
    ],
    ["has a long name", { "user-agent": "x".repeat(200) }, { client: "x".repeat(100) }],
    ["has a name with tabs", { "user-agent": "a\tb" }, { client: "a b" }],
  ])("if it %s", async (_client, headers, entry) => {
    const site = await createTestWorkspace(prisma);
    await rename(site, headers, site.admin.user);
    expect(await entriesOf(site)).toMatchObject([{ via: "GRAPHQL", ...entry }]);
  });

  it("if it uses REST with an API key", async () => {
    const site = await createTestWorkspace(prisma);
    const response = await gateway.fetch(`/cameras/${site.ids.cameraId}`, {
      as: site.admin.key,
      method: "PATCH",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "Sent" }),
    });
    expect(response.status).toBe(200);
    expect(await entriesOf(site)).toMatchObject([{ via: "REST", client: "node", actorKind: "API_KEY" }]);
  });
});

it("records a password-only change without revealing the password", async () => {
  const site = await createTestWorkspace(prisma);
  const { url } = await prisma.camera.findFirstOrThrow({ where: { id: site.ids.cameraId } });
  await gateway.data(
    "mutation ($id: UUID!, $url: String!) { updateCamera(id: $id, input: { url: $url }) { id } }",
    {
      as: site.admin.user,
      variables: { id: site.ids.cameraId, url: url?.replace("s3:cret", "other-word") },
    },
  );
  const [entry] = await entriesOf(site);
  const masked = "rtsp://operator:***@camera.example/***";
  expect(entry?.changes).toEqual({ url: { from: masked, to: masked } });
});

it("records a changed webhook by its origin, also if that stays the same", async () => {
  const site = await createTestWorkspace(prisma);
  const origin = "https://hook.example";
  const { workspaceId, cameraId } = site.ids;
  const id = await createAlertRule(prisma, {
    ...{ workspaceId, cameraId, notificationUrl: `${origin}/1` },
  });
  await run(gateway, { as: site.admin.user }, [
    "mutation ($id: UUID!, $url: String!) { updateAlertRule(id: $id, input: { apiNotification: { url: $url, enabled: false } }) { id } }",
    { id, url: `${origin}/2` },
  ]);
  expect((await entriesOf(site))[0]?.changes).toEqual({ notificationUrl: { from: origin, to: origin } });
});

it("stores no secrets: no passwords, notification or key secrets, or requestIds", async () => {
  const { ids, admin } = await createTestWorkspace(prisma);
  const { a, b, c } = await gateway.data<{
    a: { key: string };
    b: { requestId: string };
    c: { requestId: string };
  }>(
    `mutation ($facility: UUID!, $camera: UUID!) {
      a: createApiKey(input: { name: "Key", permissions: ["alerts:read"] }) { key }
      b: createCamera(facilityId: $facility, input: { name: "Gate", url: "rtsp://admin:camera-word@10.0.0.1/", streamType: DIRECT }) { requestId }
      u: updateCamera(id: $camera, input: { url: "rtsp://admin:other-word@10.0.0.1/" }) { id }
      c: requestStreamProbe(cameraId: $camera) { requestId }
      createAlertRule(cameraId: $camera, input: {
        name: "RULE", severity: "LOW", group: { type: "GROUP", operator: "AND", children: [{ type: "PERSON", objects: [] }] }
        apiNotification: { url: "https://hook.example/", secret: "notification-word" }
      }) { id }
    }`,
    { as: admin.user, variables: { facility: ids.facilityId, camera: ids.cameraId } },
  );
  await gateway.data(
    `mutation ($b: UUID!, $c: UUID!) {
      d: recordStreamError(requestId: $b, input: { operation: "open", error: "refused" }) { id }
      e: recordStreamThumbnail(requestId: $c, input: { url: "https://feeds.example/yard.jpg" }) { id }
    }`,
    { as: "nobody", variables: { b: b.requestId, c: c.requestId } },
  );
  const secrets = [
    ...["camera-word", "other-word", "notification-word"],
    ...[a.key.split("_")[2] as string, b.requestId, c.requestId],
  ];
  const table = JSON.stringify(await prisma.auditEntry.findMany());
  expect(secrets.filter((secret) => table.includes(secret))).toEqual([]);
});
