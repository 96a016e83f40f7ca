// Runs once: both kinds of databases run the same statements.
import { randomUUID } from "node:crypto";
import { Recorder } from "../ingestion/recorder.js";
import { eventually } from "../support/eventually.js";
import {
  createAlertRule,
  createDelivery,
  createTestUser,
  type TestUser,
  unknownId,
} from "../support/factories.js";
import { refusal, run, type Sender, startGateway } from "../support/harness.js";
import { respondWith, WebhookReceiver } from "./webhook-receiver.js";

/** Each test has its own workspace. */
let recorder: Recorder;
/** Added to the clock of the gateway. */
let ahead = 0;
/** The time at which the clock stands still, if it does. */
let stoppedAt: number | undefined;

const receiver = await WebhookReceiver.start();
const gateway = await startGateway({
  now: () => new Date(stoppedAt ?? Date.now() + ahead),
  environment: { WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8" },
});
afterAll(async () => {
  await gateway.close();
  await receiver.close();
});
beforeEach(async () => {
  recorder = await Recorder.open(gateway);
  await gateway.prisma.delivery.deleteMany({ where: { workspaceId: recorder.workspaceId } });
});

interface Delivery {
  id: string;
  kind: string;
  channel: string;
  target: string | null;
  state: string;
  attempts: number;
  nextAttemptAt: string | null;
  sentAt: string | null;
  lastError: string | null;
  alert: { id: string } | null;
}
const fields =
  "id kind channel target state attempts nextAttemptAt sentAt lastError alert { id } alertRule { id } camera { id } facility { id }";

/** A rule whose alerts are posted to a separate path. */
async function newRule(values: Record<string, unknown> = {}) {
  const path = `/${randomUUID()}`;
  const webhook = { notificationUrl: receiver.url(path), notificationEnabled: true };
  const id = await createAlertRule(gateway.prisma, {
    cameraId: recorder.site.cameraId,
    ...webhook,
    ...values,
  });
  return { id, path, url: receiver.url(path) };
}

/** Records an alert of a rule, and returns its id. */
async function raise(alertRuleId: string): Promise<string> {
  const alert = recorder.alert({ alertRuleId, createdAt: new Date(Date.now() + ahead).toISOString() });
  await recorder.record([alert]);
  return alert.id;
}

async function deliveries(as: Sender = recorder.admin.as, list = ""): Promise<Delivery[]> {
  const query = `{ workspace { deliveries${list} { nodes { ${fields} } } } }`;
  const { workspace } = await gateway.data<{ workspace: { deliveries: { nodes: Delivery[] } } }>(query, {
    as,
  });
  return workspace.deliveries.nodes;
}

/** The deliveries once all of them are in a state. */
const inState = (state: string) =>
  eventually(
    () => deliveries(),
    (found) => found.length > 0 && found.every((delivery) => delivery.state === state),
  );

const redelivery = (ids: readonly string[]) =>
  [`mutation ($ids: [UUID!]!) { redeliver(ids: $ids) { ${fields} } }`, { ids }] as const;
const test = (id: string) =>
  [`mutation ($id: UUID!) { sendTestDelivery(alertRuleId: $id) { ${fields} } }`, { id }] as const;
const redeliver = async (ids: readonly string[], as = recorder.admin) =>
  (await run<{ redeliver: Delivery[] }>(gateway, as, redelivery(ids))).redeliver;
const sendTest = async (id: string, as = recorder.admin) =>
  (await run<{ sendTestDelivery: Delivery[] }>(gateway, as, test(id))).sendTestDelivery;

/** A user who sees the whole workspace, and has alert-rules:write at some facilities. */
const newUser = (...facilityIds: string[]): Promise<TestUser> =>
  createTestUser(gateway.prisma, {
    workspaceId: recorder.workspaceId,
    roles: ["cameras:read"],
    at: Object.fromEntries(facilityIds.map((id) => [id, ["alert-rules:write"]])),
  });

describe("deliveries", () => {
  it("are listed for an alert, its rule and the workspace, with their states", async () => {
    const rule = await newRule();
    receiver.on(rule.path, respondWith(410));
    const alertId = await raise(rule.id);
    const { cameraId, facilityId } = recorder.site;
    const parked = {
      ...{
        id: expect.any(String),
        kind: "ALERT",
        channel: "WEBHOOK",
        target: rule.url,
        state: "PARKED",
        attempts: 1,
        nextAttemptAt: null,
      },
      ...{ sentAt: null, lastError: "The webhook responded with status 410" },
      ...{
        alert: { id: alertId },
        alertRule: { id: rule.id },
        camera: { id: cameraId },
        facility: { id: facilityId },
      },
    };
    const ofWorkspace = await inState("PARKED");
    expect(ofWorkspace).toEqual([parked]);
    const query = `query ($id: UUID!) { alert(id: $id) { deliveries { ${fields} } alertRule { deliveries { totalCount nodes { ${fields} } } } } }`;
    const { alert } = await gateway.data<{ alert: object }>(query, {
      as: recorder.admin.as,
      variables: { id: alertId },
    });
    expect(alert).toEqual({
      deliveries: ofWorkspace,
      alertRule: { deliveries: { totalCount: 1, nodes: ofWorkspace } },
    });
  });

  it("are listed by state and channel, newest first", async () => {
    const { facilityId } = recorder.site;
    const place = { workspaceId: recorder.workspaceId, facilityId };
    const at = (minute: number, values: object) =>
      createDelivery(gateway.prisma, { ...place, createdAt: new Date(minute * 60_000), ...values });
    const sent = await at(1, {});
    const parked = await at(2, { state: "PARKED" });
    const mailed = await at(3, { channel: "EMAIL" });
    const ids = async (filter: string) =>
      (await deliveries(recorder.admin.as, `(first: 3, filter: ${filter})`)).map(({ id }) => id);
    expect(await ids("null")).toEqual([mailed, parked, sent]);
    expect(await ids("{ states: [SENT] }")).toEqual([mailed, sent]);
    expect(await ids("{ states: [PARKED, SENT], channels: [WEBHOOK] }")).toEqual([parked, sent]);
    expect(await ids("{ states: [] }")).toEqual([]);
  });

  it("show their targets to callers with alert-rules:write at the facility alone", async () => {
    const far = await recorder.newSite();
    await createDelivery(gateway.prisma, {
      workspaceId: recorder.workspaceId,
      facilityId: recorder.site.facilityId,
      target: "https://near.example/1",
    });
    const { as } = await newUser(recorder.site.facilityId);
    const shown = (await deliveries(as)).map(({ id, target }) => [id === far.deliveryId, target]);
    expect(shown.toSorted()).toEqual([
      [false, "https://near.example/1"],
      [true, null],
    ]);
  });

  it("of a deleted camera are not shown, nor sent again", async () => {
    const { deliveryId, cameraId } = await recorder.newSite();
    expect(await deliveries()).toHaveLength(1);
    await run(gateway, recorder.admin, [
      "mutation ($id: UUID!) { deleteCamera(id: $id) { id } }",
      { id: cameraId },
    ]);
    expect(await deliveries()).toEqual([]);
    expect(await refusal(gateway, recorder.admin, redelivery([deliveryId]))).toMatchObject({
      code: "NOT_FOUND",
    });
    await eventually(
      () => gateway.prisma.camera.count({ where: { id: cameraId, keptUntil: null } }),
      (count) => count === 0,
    );
    expect(await deliveries()).toEqual([]);
  });

  it("are queued for webhooks alone, as the channels say", async () => {
    const { workspace } = await gateway.data<{ workspace: object }>("{ workspace { deliveryChannels } }", {
      as: recorder.admin.as,
    });
    expect(workspace).toEqual({ deliveryChannels: ["WEBHOOK"] });
  });
});

describe("redeliver", () => {
  it("resends parked and sent deliveries, with the same ids, in the order of the events", async () => {
    const rule = await newRule();
    receiver.on(rule.path, respondWith(410));
    const alertIds = [await raise(rule.id), await raise(rule.id)];
    const ids = (await inState("PARKED")).map(({ id }) => id);
    receiver.on(rule.path, respondWith(204));
    const again = await redeliver(ids);
    expect(again.map(({ id }) => id)).toEqual(ids);
    const posts = await receiver.received(4, rule.path);
    expect(posts.slice(2).map(({ body }) => body.data.id)).toEqual(alertIds);
    for (const delivery of await inState("SENT"))
      expect(delivery).toMatchObject({ attempts: 1, lastError: null, sentAt: expect.any(String) });
    await redeliver(ids.slice(0, 1));
    const [, , , , last] = await receiver.received(5, rule.path);
    expect(last?.headers["webhook-id"]).toBe(ids[0]);
  });

  it("tries a target at once although it is left alone after a failure", async () => {
    const rule = await newRule();
    receiver.on(rule.path, respondWith(503, { "retry-after": "3600" }));
    await raise(rule.id);
    const [waiting] = await eventually(
      () => deliveries(),
      ([delivery]) => Date.parse(delivery?.nextAttemptAt ?? "") > Date.now() + ahead + 3_000_000,
    );
    expect(waiting).toMatchObject({
      state: "PENDING",
      attempts: 1,
      lastError: "The webhook responded with status 503",
    });
    receiver.on(rule.path, respondWith(204));
    // The dispatcher has found that nothing else is due. It would leave the workspace
    // alone for ten seconds, which do not pass in this test.
    await gateway.app.idle();
    stoppedAt = Date.now() + ahead;
    onTestFinished(() => {
      stoppedAt = undefined;
    });
    await redeliver([waiting?.id as string]);
    expect(await inState("SENT")).toMatchObject([{ id: waiting?.id, attempts: 2, nextAttemptAt: null }]);
  });

  it("sends all or none, and only with alert-rules:write at each facility", async () => {
    const near = await recorder.newSite();
    const far = await recorder.newSite();
    const both = [near.deliveryId, far.deliveryId];
    const local = await newUser(near.facilityId);
    expect(await refusal(gateway, local, redelivery(both))).toMatchObject({ code: "FORBIDDEN" });
    expect(await refusal(gateway, recorder.admin, redelivery([...both, unknownId]))).toMatchObject({
      code: "NOT_FOUND",
    });
    expect(await refusal(gateway, recorder.admin, redelivery([]))).toMatchObject({
      code: "BAD_REQUEST",
      paths: ["ids"],
    });
    expect((await deliveries()).map(({ state }) => state)).toEqual(["SENT", "SENT"]);
    expect(await redeliver([near.deliveryId], local)).toHaveLength(1);
  });
});

describe("sendTestDelivery", () => {
  it("sends a test to the webhook of a rule, whatever its status, once a minute", async () => {
    const rule = await newRule({ status: "PAUSED" });
    const [queued] = await sendTest(rule.id);
    expect(queued).toMatchObject({ kind: "TEST", channel: "WEBHOOK", target: rule.url, alert: null });
    const [post] = await receiver.received(1, rule.path);
    expect(post?.body).toMatchObject({ type: "alert.test", data: { alertRule: { id: rule.id } } });
    expect(post?.headers["webhook-id"]).toBe(queued?.id);
    const message = expect.stringMatching(/^The rule was tested less than a minute ago; try again in \d+ s$/);
    expect(await refusal(gateway, recorder.admin, test(rule.id))).toEqual({ code: "RATE_LIMITED", message });
    ahead += 60_000;
    const [mutation, variables] = test(rule.id);
    const atOnce = await Promise.all(
      [1, 2].map(() => gateway.graphql(mutation, { as: recorder.admin.as, variables })),
    );
    expect(atOnce.flatMap(({ errors = [] }) => errors.map(({ extensions }) => extensions.code))).toEqual([
      "RATE_LIMITED",
    ]);
    await receiver.received(2, rule.path);
  });

  it("is refused for a rule without a target", async () => {
    const rule = await newRule({
      notificationEnabled: false,
      emails: ["guard@test.example"],
      phoneNumbers: ["+905321234567"],
    });
    expect(await refusal(gateway, recorder.admin, test(rule.id))).toMatchObject({ code: "CONFLICT" });
    expect(await deliveries()).toEqual([]);
  });
});
