// Runs once: both kinds of databases run the same statements.

import { createHmac, randomUUID } from "node:crypto";
import type { ServerResponse } from "node:http";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { signingKey, webhookSecret } from "../../src/features/alert-rule/webhook-secret.js";
import { WebhookChannel } from "../../src/features/delivery/channels/webhook-channel.js";
import { NetworkAddresses } from "../../src/platform/network/network-addresses.js";
import { type AlertInput, Recorder } from "../ingestion/recorder.js";
import { eventually } from "../support/eventually.js";
import { createAlertRule, createApiKey, type TestUser } from "../support/factories.js";
import { type Gateway, run, startGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { nameServer } from "../support/name-server.js";
import { type Post, respondWith, WebhookReceiver } from "./webhook-receiver.js";

/** Added to the clock of the gateway. */
let ahead = 0;

const receiver = await WebhookReceiver.start();
const gateway = await startGateway({
  now: () => new Date(Date.now() + ahead),
  environment: { WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8", PUBLIC_URL: "https://gateway.example" },
});
const recorder = await Recorder.open(gateway);

const { authorization } = await createApiKey(gateway.prisma, {
  workspaceId: recorder.workspaceId,
  permissions: ["alerts:write", "alerts:delete"],
});
/** An API key, which does not expire while the clock advances. */
const detector: TestUser = { id: "", authId: "", as: { authorization } };
afterAll(async () => {
  await gateway.close();
  await receiver.close();
});

const secret = `whsec_${Buffer.from("a key of this test").toString("base64")}`;

/** A rule whose alerts are posted to a separate path. */
async function newRule(values: Record<string, unknown> = {}) {
  const path = `/${randomUUID()}`;
  const url = receiver.url(path);
  const id = await createAlertRule(gateway.prisma, {
    workspaceId: recorder.workspaceId,
    cameraId: recorder.site.cameraId,
    notificationUrl: url,
    notificationSecret: secret,
    notificationEnabled: true,
    ...values,
  });
  return { id, path };
}

const alertOf = (alertRuleId: string, values: object = {}) =>
  recorder.alert({ alertRuleId, createdAt: new Date(Date.now() + ahead).toISOString(), ...values });

const record = (alerts: AlertInput[]) => recorder.record(alerts, detector);

const deliveriesOf = (alertRuleId: string) =>
  gateway.prisma.delivery.findMany({ where: { workspaceId: recorder.workspaceId, alertRuleId } });

/** The deliveries of a rule, once the first is in a state. */
const inState = (alertRuleId: string, state: string) =>
  eventually(
    () => deliveriesOf(alertRuleId),
    ([delivery]) => delivery?.state === state,
  );

/** Waits until a number of attempts to deliver the first alert of a rule has failed. */
const failed = (alertRuleId: string, attempts: number) =>
  eventually(
    () =>
      gateway.prisma.delivery.findMany({
        where: { workspaceId: recorder.workspaceId, alertRuleId, attempts },
        select: { targetId: true },
      }),
    (deliveries) => deliveries.length > 0,
  ).then(([delivery]) =>
    eventually(
      () =>
        gateway.prisma.deliveryTarget.count({
          where: { id: delivery?.targetId as string, failures: attempts },
        }),
      (count) => count > 0,
    ),
  );

let closed: Promise<Gateway> | undefined;
/** A gateway that posts to public addresses alone. */
function closedGateway(): Promise<Gateway> {
  closed ??= startGateway();
  return closed;
}
afterAll(async () => (await closed)?.close());

/** Advances the clock, and wakes the workers. */
async function advance(milliseconds: number): Promise<void> {
  ahead += milliseconds;
  await record([recorder.alert()]);
}

describe("a webhook", () => {
  it("gets a recorded alert, signed, as the API shows it", async () => {
    const rule = await newRule({ group: { id: randomUUID(), type: "GROUP", name: "Gate by night" } });
    const alert = alertOf(rule.id, {
      area: [
        { x: 1, y: 2 },
        { x: 3, y: 4 },
        { x: 5, y: 6 },
      ],
      info: { speed: 7 },
    });
    await record([alert]);
    const [post] = await receiver.received(1, rule.path);
    const payload = new Webhook(secret).verify(post?.text as string, post?.headers as Record<string, string>);
    expect(payload).toMatchObject({
      type: "alert.raised",
      data: {
        id: alert.id,
        info: { speed: 7 },
        alertRuleName: "Gate by night",
        camera: { id: recorder.site.cameraId },
        alertRule: { id: rule.id },
      },
    });
    const sent = await inState(rule.id, "SENT");
    expect(sent).toMatchObject([
      { id: post?.headers["webhook-id"], attempts: 1, lastError: null, queueId: null },
    ]);
  });

  it("gets alerts of a rule in the order in which they happened, the later ones after a failed attempt", async () => {
    const rule = await newRule();
    receiver.on(rule.path, respondWith(503));
    const times = [3, 1, 2].map((seconds) =>
      alertOf(rule.id, { createdAt: new Date(Date.now() + ahead - 60_000 + seconds * 1000).toISOString() }),
    );
    await record(times);
    await receiver.received(1, rule.path);
    await record([alertOf(rule.id)]);
    receiver.on(rule.path, respondWith(204));
    await eventually(
      () => gateway.prisma.deliveryTarget.count(),
      (count) => count === 1,
    );
    await advance(6_000);
    const posts = await receiver.received(5, rule.path);
    const ids = posts.map(({ body }) => body.data.id);
    expect(ids.slice(0, 4)).toEqual([times[1]?.id, times[1]?.id, times[2]?.id, times[0]?.id]);
    expect(new Set(posts.map(({ headers }) => headers["webhook-id"])).size).toBe(4);
  });

  it("gets no alerts that were refused together with others, that are older than a day, or that were recorded before", async () => {
    const rule = await newRule();
    const dayBefore = new Date(Date.now() + ahead - 25 * 3_600_000).toISOString();
    await recorder.refused([alertOf(rule.id), alertOf(randomUUID())], detector);
    const alert = alertOf(rule.id);
    await record([alertOf(rule.id, { createdAt: dayBefore }), alert]);
    await record([alert]);
    expect(await deliveriesOf(rule.id)).toMatchObject([{ alertId: alert.id }]);
  });

  it("gets no alerts of an inactive rule, nor while it is disabled", async () => {
    const rules = [await newRule({ status: "PAUSED" }), await newRule({ notificationEnabled: false })];
    for (const { id } of rules) await record([alertOf(id)]);
    for (const { id } of rules) expect(await deliveriesOf(id)).toEqual([]);
  });

  it("gets observations", async () => {
    const rule = await newRule({ observation: true });
    await record([alertOf(rule.id)]);
    const [post] = await receiver.received(1, rule.path);
    expect(post?.body.data).toMatchObject({ observation: true, severity: "MEDIUM" });
  });

  it.each(["plain text", null])(
    "gets signatures by the secret of the time at which they are sent: %s",
    async (laterSecret) => {
      const rule = await newRule();
      receiver.on(rule.path, respondWith(500));
      await record([alertOf(rule.id)]);
      await failed(rule.id, 1);
      receiver.on(rule.path, respondWith(200));
      await gateway.prisma.alertRule.updateMany({
        where: { id: rule.id },
        data: { notificationSecret: laterSecret },
      });
      await advance(6_000);
      const [, post] = await receiver.received(2, rule.path);
      const { "webhook-signature": signature, ...headers } = (post as Post).headers as Record<string, string>;
      if (laterSecret === null) expect(signature).toBeUndefined();
      else
        new Webhook(laterSecret, { format: "raw" }).verify(post?.text as string, {
          ...headers,
          "webhook-signature": signature as string,
        });
    },
  );

  it("gets nothing that a stored secret would sign with another key", async () => {
    const rule = await newRule({ notificationSecret: "whsec_MDEyMzQ1Njc4OWFi!Y2RlZg==" });
    await record([alertOf(rule.id)]);
    const parked = await inState(rule.id, "PARKED");
    expect(parked).toMatchObject([
      { attempts: 1, lastError: "The rule's secret is no Base64 after whsec_: set another one" },
    ]);
    expect(receiver.at(rule.path)).toEqual([]);
  });

  it("gets signatures that the library verifies with every accepted secret", () => {
    const bytes = fc.uint8Array({ maxLength: 64, size: "max" }).map((key) => Buffer.from(key));
    const encoded = fc
      .tuple(bytes, fc.constantFrom<BufferEncoding>("base64", "base64url"))
      .map(([key, encoding]) => `whsec_${key.toString(encoding)}`);
    const secrets = fc.oneof(
      encoded,
      fc.string({ maxLength: 60, size: "max", unit: "grapheme-ascii" }),
      fc.string({ maxLength: 60, unit: "grapheme" }),
      fc.tuple(encoded, fc.string({ maxLength: 3 })).map((parts) => parts.join("")),
    );
    const at = new Date(1_700_000_000_000);
    let accepted = 0;
    const check = (given: string) => {
      if (!webhookSecret.safeParse(given).success) return;
      accepted += 1;
      const key = signingKey(given) as Buffer;
      const options = given.startsWith("whsec_") ? undefined : ({ format: "raw" } as const);
      const own = createHmac("sha256", key)
        .update(`1.${at.getTime() / 1000}.{}`)
        .digest("base64");
      expect(new Webhook(given, options).sign("1", at, "{}")).toBe(`v1,${own}`);
      expect(key.length).toBeGreaterThanOrEqual(16);
    };
    fc.assert(fc.property(secrets, check), {
      numRuns: 1000,
      examples: [[`whsec_${Buffer.alloc(16, 255).toString("base64")}`], ["a plain text of a key"]],
    });
    expect(accepted).toBeGreaterThan(100);
  });

  it("does not get an alert that is deleted before it accepts, nor any after it is disabled", async () => {
    const [deleted, disabled] = [await newRule(), await newRule()];
    for (const rule of [deleted, disabled]) receiver.on(rule.path, respondWith(500));
    const alert = alertOf(deleted.id);
    await record([alert]);
    await record([alertOf(disabled.id)]);
    for (const rule of [deleted, disabled]) await failed(rule.id, 1);
    await run(gateway, detector, [
      "mutation ($ids: [UUID!]!) { deleteAlerts(ids: $ids) { deletedIds } }",
      { ids: [alert.id] },
    ]);
    await gateway.prisma.alertRule.updateMany({
      where: { id: disabled.id },
      data: { notificationEnabled: false },
    });
    await advance(6_000);
    for (const rule of [deleted, disabled])
      await eventually(
        () => deliveriesOf(rule.id),
        (deliveries) => deliveries.length === 0,
      );
    expect([...receiver.at(deleted.path), ...receiver.at(disabled.path)]).toHaveLength(2);
  });

  it("that refuses an alert three times gets the next one", async () => {
    const rule = await newRule();
    const [refused, next] = [alertOf(rule.id), alertOf(rule.id, { name: "NEXT" })];
    receiver.on(rule.path, (response, { body }) =>
      response.writeHead(body.data.id === refused.id ? 404 : 200).end(),
    );
    await record([refused]);
    await record([next]);
    for (const [attempts, wait] of [
      [1, 6_000],
      [2, 12_000],
    ] as const) {
      await failed(rule.id, attempts);
      await advance(wait);
    }
    await eventually(
      () => deliveriesOf(rule.id),
      (deliveries) => deliveries.some(({ state }) => state === "SENT"),
    );
    expect(receiver.at(rule.path).map(({ body }) => body.data.id)).toEqual([
      refused.id,
      refused.id,
      refused.id,
      next.id,
    ]);
    const reason = "The webhook responded with status 404";
    expect(await deliveriesOf(rule.id)).toContainEqual(
      expect.objectContaining({ alertId: refused.id, state: "PARKED", attempts: 3, lastError: reason }),
    );
  });

  it("is left alone for the time that it requests, an hour at most", async () => {
    const rule = await newRule();
    receiver.on(rule.path, respondWith(429, { "retry-after": "86400" }));
    await record([alertOf(rule.id)]);
    await failed(rule.id, 1);
    receiver.on(rule.path, respondWith(200));
    const { retryAt } = await gateway.prisma.deliveryTarget.findFirstOrThrow({
      orderBy: { retryAt: "desc" },
    });
    const wait = retryAt.getTime() - Date.now() - ahead;
    expect([wait > 3_590_000, wait <= 3_600_000]).toEqual([true, true]);
    await advance(3_600_000);
    await receiver.received(2, rule.path);
  });

  it("gets no more attempts a day after the alert, nor for the alerts that wait behind it", async () => {
    const rule = await newRule();
    receiver.on(rule.path, respondWith(500));
    await record([alertOf(rule.id), alertOf(rule.id)]);
    await failed(rule.id, 1);
    await advance(25 * 3_600_000);
    const deliveries = await eventually(
      () => deliveriesOf(rule.id),
      (each) => each.every(({ state }) => state === "PARKED"),
    );
    expect(deliveries.map(({ attempts }) => attempts).sort()).toEqual([0, 2]);
  });

  it("may respond at any length, although the gateway reads little", async () => {
    const rule = await newRule();
    receiver.on(rule.path, (response) => {
      response.writeHead(200);
      const write = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
        if (!response.destroyed) response.once("drain", write);
      };
      write();
    });
    await record([alertOf(rule.id)]);
    await inState(rule.id, "SENT");
  });

  it.each([
    ["whose answer does not end", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc", "SENT", null],
    [
      "that switches to another protocol",
      "HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: x\r\n\r\n",
      "PENDING",
      "status 101",
    ],
    ["that hangs up", "", "PENDING", "unreachable (ECONNRESET)"],
  ])("%s is taken by its status", async (_name, answer, state, error) => {
    const rule = await newRule();
    receiver.on(rule.path, (response) => response.socket?.end(answer));
    await record([alertOf(rule.id)]);
    const [delivery] = await eventually(
      () => deliveriesOf(rule.id),
      ([first]) => first?.attempts === 1,
    );
    expect(delivery?.state).toBe(state);
    if (error) expect(delivery?.lastError).toContain(error);
  });

  it("does not get more than four requests at once", async () => {
    const rules = await Promise.all(listOf(6, () => newRule()));
    const open: ServerResponse[] = [];
    for (const { path } of rules) receiver.on(path, (response) => open.push(response));
    for (const { id } of rules) await record([alertOf(id)]);
    const posts = () => rules.flatMap(({ path }) => receiver.at(path)).length;
    for (let answered = 0; answered < rules.length; answered += 1) {
      await eventually(
        async () => open.length,
        (count) => count > 0,
      );
      expect(posts() - answered).toBeLessThanOrEqual(4);
      open.shift()?.writeHead(200).end();
    }
    await eventually(
      async () => posts(),
      (count) => count === 6,
    );
  });
});

describe("nothing is posted", () => {
  it.each(["localhost", "0x7f.1", "[::1]"])("to %s, whose network is not allowed", async (host) => {
    const closed = await closedGateway();
    const own = await Recorder.open(closed);
    const notificationUrl = `http://${host}:${receiver.port}/closed`;
    const rule = {
      workspaceId: own.workspaceId,
      cameraId: own.site.cameraId,
      notificationUrl,
      notificationEnabled: true,
    };
    const alertRuleId = await createAlertRule(closed.prisma, rule);
    await own.record([own.alert({ alertRuleId, createdAt: new Date().toISOString() })]);
    const find = () => closed.prisma.delivery.findFirst({ where: { workspaceId: own.workspaceId } });
    const delivery = await eventually(find, (found) => found?.attempts === 1);
    expect(delivery?.lastError).toBe("The webhook's address is not public");
    expect(receiver.at("/closed")).toEqual([]);
  });

  it("to a name whose address has changed since it was allowed", async () => {
    const answers = ["127.0.0.1", "127.0.0.2"];
    const addresses = new NetworkAddresses(["127.0.0.1/32"], {
      resolver: "dns",
      nameServers: [await nameServer(() => answers.shift() ?? "127.0.0.2")],
    });
    const channel = new WebhookChannel({ addresses, now: () => new Date() });
    onTestFinished(() => channel.close());
    const own = await WebhookReceiver.forTest();
    own.on("/", respondWith(204, { connection: "close" }));
    const message = { id: "1", url: `http://hooks.example:${own.port}/`, secret: null, body: "{}" };
    const send = () => channel.send(message, new AbortController().signal);
    expect(await send()).toEqual({ kind: "sent" });
    expect(await send()).toMatchObject({ kind: "failed", reason: "The webhook's address is not public" });
  });

  it("to the target of a webhook's redirect", async () => {
    const rule = await newRule();
    receiver.on(rule.path, respondWith(307, { location: receiver.url("/elsewhere") }));
    await record([alertOf(rule.id)]);
    await failed(rule.id, 1);
    expect(receiver.at("/elsewhere")).toEqual([]);
  });
});
