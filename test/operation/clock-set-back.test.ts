// Runs once: both kinds of databases run the same statements.

import { randomUUID } from "node:crypto";
import { createPlant, Mailbox } from "../delivery/personal-mail-site.js";
import {
  createAlerts,
  createApiKey,
  createCamera,
  createFacility,
  createUser,
} from "../support/factories.js";
import { run, startGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
let time = Date.parse("2026-11-19T12:00:00Z");

const mailbox = await Mailbox.open();
const gateway = await startGateway({
  now: () => new Date(time),
  environment: { ...mailbox.settings, PUBLIC_URL: "https://gateway.example" },
});

const { workspaceId, facilityId, admin } = await createPlant(gateway, "Plant");
afterAll(async () => {
  await gateway.close();
  await mailbox.close();
});

const newEmail = () => `ada-${randomUUID()}@test.example`;
/** A time that a clock left which was ahead for some seconds. */
const farAhead = () => new Date(time + 400 * day);

/** Asks for a sign-in link, which wakes all workers, and waits until they have done what is due. */
async function ask(email = newEmail()): Promise<void> {
  time += minute;
  await run(gateway, { as: "nobody" }, [
    "mutation ($email: String!) { requestSignInLink(email: $email) }",
    { email },
  ]);
  await gateway.app.idle();
}

it("a message is sent whose target or queue waits until then", async () => {
  const email = newEmail();
  await createUser(gateway.prisma, { workspaceId, email });
  mailbox.isAway = true;
  await ask(email);
  expect(mailbox.to(email)).toEqual([]);
  const { targetId, queueId } = await gateway.prisma.delivery.findFirstOrThrow({ where: { target: email } });
  const waiting = { where: { workspaceId, id: targetId }, data: { retryAt: farAhead() } };
  expect(await gateway.prisma.deliveryTarget.updateMany(waiting)).toEqual({ count: 1 });
  await gateway.prisma.deliveryQueue.create({
    data: { workspaceId, id: queueId as string, availableAt: farAhead() },
  });
  mailbox.isAway = false;
  await ask();
  expect(mailbox.to(email)).toHaveLength(1);
});

it("a message is sent that failed meanwhile, and rounds of purging go on, by the same process", async () => {
  const { prisma } = gateway;
  const email = newEmail();
  const userId = await createUser(prisma, { workspaceId, email });
  mailbox.isAway = true;
  time += 400 * day;
  await ask(email);
  time -= 400 * day;
  mailbox.isAway = false;
  const expired = { createdAt: new Date(time - 60 * day), expiresAt: new Date(time - 53 * day) };
  await prisma.session.create({ data: { id: randomUUID(), workspaceId, userId, ...expired } });
  time += 15 * minute;
  await ask();
  expect(mailbox.to(email)).toHaveLength(1);
  expect(await prisma.session.count({ where: { userId } })).toBe(0);
});

it("a digest is mailed, and due on the next day", async () => {
  const { prisma } = gateway;
  const email = newEmail();
  const userId = await createUser(prisma, { workspaceId, email, roles: ["alerts:read", "cameras:read"] });
  const cameraId = await createCamera(prisma, { workspaceId, facilityId });
  await createAlerts(prisma, [{ workspaceId, facilityId, cameraId, createdAt: new Date(time - hour) }]);
  const at = new Date(time - 10 * minute).toISOString().slice(11, 16);
  const left = { dueAt: farAhead(), lastDueAt: farAhead() };
  await prisma.digest.create({
    data: { workspaceId, userId, enabled: true, at, timeZoneId: "UTC", ...left },
  });
  await ask();
  expect(mailbox.to(email)).toHaveLength(1);
  const { dueAt } = await prisma.digest.findFirstOrThrow({ where: { userId } });
  expect(dueAt?.getTime()).toBeLessThan(time + day);
});

it("links to sign in that were mailed then do not use up those of an hour", async () => {
  const email = newEmail();
  await createUser(gateway.prisma, { workspaceId, email });
  const answered = { email, requestedAt: farAhead(), answeredAt: farAhead() };
  await gateway.prisma.signInLinkRequest.createMany({ data: listOf(20, () => answered) });
  await ask(email);
  expect(mailbox.to(email)).toHaveLength(1);
});

it("a facility whose heartbeat is of then is offline, told of, and online with the next heartbeat", async () => {
  const { prisma } = gateway;
  const email = newEmail();
  const id = await createFacility(prisma, { workspaceId, lastHeartbeatAt: farAhead() });
  const camera = { workspaceId, facilityId: id, emailAddresses: [email], imageLink: "a.jpg" };
  await createCamera(prisma, { ...camera, pictureAt: new Date(time) });
  const shown = async () =>
    gateway.data("query ($id: UUID!) { facility(id: $id) { online cameras { state } } }", {
      as: admin.as,
      variables: { id },
    });
  expect(await shown()).toEqual({ facility: { online: false, cameras: [{ state: "FACILITY_OFFLINE" }] } });
  time += hour;
  // The news is queued, and then sent.
  for (const _time of [1, 2]) await ask();
  expect(mailbox.to(email)).toHaveLength(1);
  await run(gateway, admin, ["mutation ($id: UUID!) { recordHeartbeat(facilityId: $id) { id } }", { id }]);
  expect(await shown()).toMatchObject({ facility: { online: true } });
  expect(await prisma.facility.findFirst({ where: { id } })).toMatchObject({
    lastHeartbeatAt: new Date(time),
  });
});

it("an API key is used, and a user sees what happened, as if neither had been then", async () => {
  const { prisma } = gateway;
  const { id, authorization } = await createApiKey(prisma, { workspaceId, permissions: [] });
  await prisma.apiKey.updateMany({ where: { id }, data: { lastUsedAt: farAhead() } });
  await gateway.data("{ workspace { id } }", { as: { authorization } });
  expect(await prisma.apiKey.findFirst({ where: { id } })).toMatchObject({ lastUsedAt: new Date(time) });
  await prisma.user.updateMany({ where: { id: admin.id }, data: { seenAt: farAhead() } });
  const at = new Date(time).toISOString();
  const seen = "mutation ($at: DateTimeISO!) { user: markSeen(at: $at) { seenAt } }";
  expect(await gateway.data(seen, { as: admin.as, variables: { at } })).toEqual({ user: { seenAt: at } });
});

it("the outcome of a request with a key of then is no outcome of now", async () => {
  const key = randomUUID();
  const create = () =>
    gateway.graphql<{ createFacility: { id: string } }>(
      'mutation { createFacility(input: { name: "Site", timeZoneId: "UTC" }) { id } }',
      { as: admin.as, headers: { "idempotency-key": key } },
    );
  const { data: first } = await create();
  await gateway.prisma.keyedOutcome.updateMany({ where: { key }, data: { createdAt: farAhead() } });
  const { data: second } = await create();
  expect(second.createFacility.id).not.toBe(first.createFacility.id);
});
