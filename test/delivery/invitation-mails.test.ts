// Runs once: both kinds of databases run the same statements.
import { randomUUID } from "node:crypto";
import { encodeNodeId } from "../../src/engine/nodes/node-id.js";
import { createApiKey, createTestUser, unknownId } from "../support/factories.js";
import { gatewayForTest, refusal, run, type Sender, startGateway } from "../support/harness.js";
import {
  createPlant,
  invite,
  linksIn,
  Mailbox,
  onlyLink,
  signInBy,
  withLongToken,
} from "./personal-mail-site.js";

const minute = 60_000;
const day = 24 * 60 * minute;
let time = Date.now();
const now = () => new Date(time);

const mailbox = await Mailbox.open();
const gateway = await startGateway({
  now,
  environment: { ...mailbox.settings, PUBLIC_URL: "https://gateway.example" },
});

const { workspaceId, facilityId, admin } = await createPlant(gateway, "Plant");
afterAll(async () => {
  await gateway.close();
  await mailbox.close();
});
beforeEach(() => {
  mailbox.isAway = false;
});

const newEmail = () => `ada-${randomUUID()}@test.example`;
const mutate = (name: string, id: string) =>
  [`mutation ($id: UUID!) { ${name}(id: $id) { id } }`, { id }] as const;
/** Lets an hour pass, after which what failed is tried again. */
async function later(): Promise<void> {
  time += 60 * minute;
  await invite(gateway, admin, newEmail());
}
interface Listed {
  id: string;
  kind: string;
  state: string;
  target: string | null;
  facility: object | null;
}
const listed = async (as: Sender) => {
  const { workspace } = await gateway.data<{ workspace: { deliveries: { nodes: Listed[] } } }>(
    "{ workspace { deliveries(first: 200) { nodes { id kind state target facility { id } camera { id } alert { id } alertRule { id } } } } }",
    { as },
  );
  return workspace.deliveries.nodes;
};
/** The mails to an address that the workspace's administrator sees. */
const mailsTo = async (email: string) =>
  (await listed(admin.as)).filter(({ target }) => target === email).map(({ state }) => state);

describe("an invitation", () => {
  it("is mailed with its link, which makes the user", async () => {
    const email = newEmail();
    await invite(gateway, admin, email);
    const [mail] = mailbox.to(email);
    expect(mail).toMatchObject({ subject: "Invitation to Plant", sender: "gateway@mail.example" });
    expect(mail?.text).toContain("You are invited\nPlant\n");
    const link = onlyLink(mailbox.to(email));
    expect(link).toMatch(/^https:\/\/gateway\.example\/#sign-in=/);
    expect(mail?.html).toContain(`href="${link}"`);
    expect(await signInBy(gateway, link)).toMatchObject({ me: { email }, workspace: { name: "Plant" } });
  });

  it("is mailed in German if the inviter's language is German", async () => {
    const german = await withLongToken(
      await createTestUser(gateway.prisma, { workspaceId, roles: ["users:write"] }),
    );
    await gateway.prisma.user.updateMany({ where: { id: german.id }, data: { locale: "de-AT" } });
    const email = newEmail();
    await invite(gateway, german, email);
    const [mail] = mailbox.to(email);
    expect(mail?.subject).toBe("Einladung zu Plant");
    expect(mail?.text).toContain("Sie sind eingeladen\nPlant\n");
    expect(mail?.text).toMatch(/^Gültig bis +\S\S \d+\. \S+ \d{4}, \d\d:\d\d UTC$/m);
    expect(mail?.html).toContain('<html lang="de">');
    expect(await signInBy(gateway, onlyLink(mailbox.to(email)))).toMatchObject({ me: { email } });
  });

  it("that is resent is mailed again, and an earlier mail that waits is not sent", async () => {
    mailbox.isAway = true;
    const email = newEmail();
    const id = await invite(gateway, admin, email);
    time += minute;
    await run(gateway, admin, mutate("resendInvitation", id));
    await gateway.app.idle();
    mailbox.isAway = false;
    await later();
    expect(await signInBy(gateway, onlyLink(mailbox.to(email)))).toMatchObject({ me: { email } });
    expect(await mailsTo(email)).toEqual(["SENT"]);
  });

  it.each<[string, (id: string) => Promise<unknown>]>([
    ["that is revoked", (id) => run(gateway, admin, mutate("revokeInvitation", id))],
    [
      "whose inviter may no longer invite",
      (id) => gateway.prisma.invitation.updateMany({ where: { id }, data: { invitedById: unknownId } }),
    ],
    [
      "that expired",
      (id) => gateway.prisma.invitation.updateMany({ where: { id }, data: { expiresAt: now() } }),
    ],
  ])("%s is not mailed any more", async (_how, end) => {
    mailbox.isAway = true;
    const email = newEmail();
    await end(await invite(gateway, admin, email));
    mailbox.isAway = false;
    await later();
    expect(mailbox.to(email)).toEqual([]);
    expect(await mailsTo(email)).toEqual([]);
    expect(await gateway.prisma.delivery.count({ where: { target: email } })).toBe(0);
  });

  it("leads to the console where users sign in at an identity provider", async () => {
    const issuer = {
      AUTH_JWT_SECRET: undefined,
      AUTH_ISSUER: "http://127.0.0.1:1",
      AUTH_AUDIENCE: "gateway",
    };
    const other = await gatewayForTest({
      environment: { ...mailbox.settings, ...issuer, PUBLIC_URL: "https://console.example" },
    });
    const plant = await createPlant(other, "Plant");
    const { authorization } = await createApiKey(other.prisma, {
      workspaceId: plant.workspaceId,
      permissions: ["users:write"],
    });
    const email = newEmail();
    await invite(other, { ...plant.admin, as: { authorization } }, email);
    expect(onlyLink(mailbox.to(email))).toBe("https://console.example/");
  });

  it("is not queued where the gateway sends no mails", async () => {
    const other = await gatewayForTest();
    const plant = await createPlant(other, "Plant");
    await invite(other, plant.admin, newEmail());
    expect(await other.prisma.delivery.count()).toBe(0);
  });
});

describe("the mail of an invitation", () => {
  const user = async (values: Omit<Parameters<typeof createTestUser>[1], "workspaceId">) =>
    withLongToken(await createTestUser(gateway.prisma, { workspaceId, ...values }));

  it("is about no facility, and listed for those alone who see or manage the users of the workspace", async () => {
    const email = newEmail();
    await invite(gateway, admin, email);
    const delivery = await gateway.prisma.delivery.findFirstOrThrow({ where: { target: email } });
    const { id } = delivery;
    const nothing = { facility: null, camera: null, alert: null, alertRule: null };
    const mail = { id, kind: "INVITATION", state: "SENT", ...nothing };
    const find = async (as: Sender) => (await listed(as)).filter((each) => each.id === id);
    expect(await find(admin.as)).toEqual([{ ...mail, target: email }]);
    expect(await find((await user({ roles: ["users:write"] })).as)).toEqual([{ ...mail, target: email }]);
    expect(await find((await user({ roles: ["users:read"] })).as)).toEqual([{ ...mail, target: null }]);
    const nodeId = encodeNodeId({ type: "Delivery", ...delivery });
    const node = async (as: Sender) =>
      (
        await gateway.data<{ node: object | null }>("query ($id: ID!) { node(nodeId: $id) { nodeId } }", {
          as,
          variables: { id: nodeId },
        })
      ).node;
    expect(await node(admin.as)).toEqual({ nodeId });
    const { admin: elsewhere } = await createPlant(gateway, "Elsewhere");
    const others = [
      await user({ roles: ["alert-rules:write", "facilities:write", "cameras:write"] }),
      await user({ at: { [facilityId]: ["users:read", "users:write", "alert-rules:write"] } }),
      await user({}),
      elsewhere,
    ];
    for (const { as } of others) {
      expect(await find(as)).toEqual([]);
      expect(await node(as)).toBeNull();
    }
  });

  it("is sent again on request of those who manage the users of the workspace, under the same Message-ID", async () => {
    const email = newEmail();
    await invite(gateway, admin, email);
    const { id } = await gateway.prisma.delivery.findFirstOrThrow({ where: { target: email } });
    const again = ["mutation ($id: UUID!) { redeliver(ids: [$id]) { state target } }", { id }] as const;
    expect(
      await refusal(gateway, await user({ roles: ["users:read", "alert-rules:write"] }), again),
    ).toMatchObject({
      code: "FORBIDDEN",
    });
    expect(await refusal(gateway, await user({ roles: ["alert-rules:write"] }), again)).toMatchObject({
      code: "NOT_FOUND",
    });
    time += minute;
    expect(await run(gateway, await user({ roles: ["users:write"] }), again)).toEqual({
      redeliver: [{ state: "PENDING", target: email }],
    });
    await gateway.app.idle();
    const [first, second] = mailbox.to(email);
    expect(second?.messageId).toBe(first?.messageId);
    expect(linksIn(second as never)).toEqual(linksIn(first as never));
  });

  it("is given up after a day", async () => {
    mailbox.isAway = true;
    const email = newEmail();
    await invite(gateway, admin, email);
    time += day;
    await later();
    expect(await mailsTo(email)).toEqual(["PARKED"]);
  });
});
