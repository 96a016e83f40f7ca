// Runs once: both kinds of databases run the same statements.
// Takes long: it sends and reads many mails, one after another.

import { randomUUID } from "node:crypto";
import { createUser } from "../support/factories.js";
import { type Call, gatewayForTest, refusal, run, startGateway } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { createPlant, invite, linksIn, Mailbox, onlyLink, signInBy } from "./personal-mail-site.js";

const minute = 60_000;
const hour = 60 * minute;
let time = Date.now();

const mailbox = await Mailbox.open();
const gateway = await startGateway({
  now: () => new Date(time),
  environment: { ...mailbox.settings, PUBLIC_URL: "https://gateway.example", TRUST_PROXY: "loopback" },
});

const { workspaceId, admin } = await createPlant(gateway, "Plant");
afterAll(async () => {
  await gateway.close();
  await mailbox.close();
});
beforeEach(() => {
  mailbox.isAway = false;
});

const newEmail = () => `ada-${randomUUID()}@test.example`;
async function newUser(values: Partial<Parameters<typeof createUser>[1]> = {}) {
  const email = values.email ?? newEmail();
  const id = await createUser(gateway.prisma, { workspaceId, roles: ["alerts:read"], ...values, email });
  return { id, email };
}
const request = (email: string): Call => [
  "mutation ($email: String!) { requestSignInLink(email: $email) }",
  { email },
];
const nobody = { as: "nobody" as const };
/** Asks for a link from a client's address, and waits until nothing is left to send for now. */
async function askFrom(client: string, email: string, of = gateway) {
  const [query, variables] = request(email);
  const { errors } = await of.graphql<object>(query, { variables, headers: { "x-forwarded-for": client } });
  await of.app.idle();
  return errors?.[0]?.extensions.code ?? "ok";
}
/** The subjects of the mails to an address. */
const subjectsTo = (email: string) => mailbox.to(email).map(({ subject }) => subject);
/** Asks for a link, and waits until nothing is left to send for now. */
async function ask(email: string, of = gateway) {
  const answer = await run(of, nobody, request(email));
  await of.app.idle();
  return answer;
}

describe("requestSignInLink", () => {
  it("mails a link that signs the user in once, without credentials", async () => {
    const { id, email } = await newUser({ firstName: "Ada", lastName: "Lovelace" });
    expect(await ask(email.toUpperCase())).toEqual({ requestSignInLink: true });
    const [mail] = mailbox.to(email);
    expect(mail?.subject).toBe("Sign in to Plant");
    expect(mail?.text).toContain("Your sign-in link\nPlant · Ada Lovelace\n");
    const link = onlyLink(mailbox.to(email));
    expect(link).toMatch(/^https:\/\/gateway\.example\/#sign-in=[\w.-]+$/);
    expect(await signInBy(gateway, link)).toMatchObject({ me: { id, email } });
    expect(await signInBy(gateway, link)).toBe("UNAUTHENTICATED");
  });

  it("mails a link that leads where its user was asked to sign in, within the console", async () => {
    const { email } = await newUser();
    const asked = (path: string): Call => [
      "mutation ($email: String!, $path: String) { requestSignInLink(email: $email, path: $path) }",
      { email, path },
    ];
    for (const path of [
      "//evil.example/?",
      "/alerts",
      "https://evil.example/?",
      "/?a#b",
      "/?a b",
      `/?${"a".repeat(499)}`,
    ])
      expect(await refusal(gateway, nobody, asked(path))).toMatchObject({ code: "BAD_REQUEST" });
    await run(gateway, nobody, asked("/?view=alerts&alert=1"));
    await gateway.app.idle();
    const link = onlyLink(mailbox.to(email));
    expect(link).toMatch(/^https:\/\/gateway\.example\/\?view=alerts&alert=1#sign-in=[\w.-]+$/);
    expect(await signInBy(gateway, link)).toMatchObject({ me: { email } });
  });

  it("mails the link in German to a user whose language is German", async () => {
    const { id, email } = await newUser({ locale: "de" });
    await ask(email);
    const [mail] = mailbox.to(email);
    expect(mail?.subject).toBe("Anmelden bei Plant");
    expect(mail?.text).toContain("Er gilt einmal, 15 Minuten lang. Geben Sie ihn nicht weiter");
    expect(mail?.html).toContain('<html lang="de">');
    expect(await signInBy(gateway, onlyLink(mailbox.to(email)))).toMatchObject({ me: { id } });
  });

  it("mails a link that works for 15 minutes from when it is sent", async () => {
    const { email } = await newUser();
    await ask(email);
    const link = onlyLink(mailbox.to(email));
    time += 15 * minute;
    expect(await signInBy(gateway, link)).toBe("UNAUTHENTICATED");
  });

  it("answers alike, after the same statements, whether or not the address is known or over its limit", async () => {
    const { email } = await newUser();
    const statementsOf = async (address: string) => {
      gateway.clearStatements();
      expect(await ask(address)).toEqual({ requestSignInLink: true });
      return [...gateway.statements];
    };
    const ofUnknown = await statementsOf(newEmail());
    const ofKnown: string[][] = [];
    for (let count = 0; count < 7; count += 1) ofKnown.push(await statementsOf(email));
    for (const statements of ofKnown) expect(statements).toEqual(ofUnknown);
    expect(mailbox.to(email)).toHaveLength(5);
    time += hour;
    await ask(email);
    expect(mailbox.to(email)).toHaveLength(6);
  });

  it("keeps nothing about unknown addresses, and about others for an hour", async () => {
    const { email } = await newUser();
    const kept = () => gateway.prisma.signInLinkRequest.count();
    time += hour;
    await ask(newEmail());
    expect(await kept()).toBe(0);
    await ask(email);
    expect(await kept()).toBe(1);
    time += hour;
    await ask(newEmail());
    expect(await kept()).toBe(0);
  });

  it("mails a link for each workspace of the address, for who signed in there last, otherwise the oldest user", async () => {
    const elsewhere = await createPlant(gateway, "Elsewhere");
    const { id: oldest, email } = await newUser({ createdAt: new Date(Date.now() - hour) });
    const { id: younger } = await newUser({ email });
    const { id: third } = await newUser({ email: email.toUpperCase(), workspaceId: elsewhere.workspaceId });
    const usersAsked = async () => {
      const before = mailbox.to(email).length;
      await ask(email);
      const mails = mailbox.to(email).slice(before);
      expect(mails.map(({ subject }) => subject).sort()).toEqual([
        "Sign in to Elsewhere",
        "Sign in to Plant",
      ]);
      const signedIn = [];
      for (const mail of mails) signedIn.push(await signInBy(gateway, linksIn(mail)[0] as string));
      return signedIn.map((each) => (each as { me: { id: string } }).me.id).sort();
    };
    expect(await usersAsked()).toEqual([oldest, third].sort());
    const where = { email_workspaceId_userId: { email, workspaceId, userId: younger } };
    await gateway.prisma.emailLookup.update({ where, data: { signedInAt: new Date(time + minute) } });
    expect(await usersAsked()).toEqual([younger, third].sort());
    await gateway.prisma.user.updateMany({ where: { id: younger }, data: { until: new Date(0) } });
    expect(await usersAsked()).toEqual([oldest, third].sort());
  });

  it("mails at most 20 links at once, those of the workspaces that were signed in to last first", async () => {
    const email = newEmail();
    const names = listOf(22, (index) => `Plant ${index}`);
    for (const [index, name] of names.entries()) {
      const plant = await createPlant(gateway, name);
      const { id: userId } = await newUser({ email, workspaceId: plant.workspaceId });
      await gateway.prisma.emailLookup.updateMany({
        where: { userId },
        data: { signedInAt: index < 2 ? null : new Date(time + index) },
      });
    }
    await ask(email);
    expect(subjectsTo(email).sort()).toEqual(
      names
        .slice(2)
        .map((name) => `Sign in to ${name}`)
        .sort(),
    );
  });

  it("mails the owner of an address whatever users another workspace gave it", async () => {
    const { email } = await newUser();
    const attackers = await createPlant(gateway, "Attackers");
    for (let count = 0; count < 30; count += 1)
      await run(gateway, attackers.admin, [
        "mutation ($input: CreateUserInput!) { createUser(input: $input) { id } }",
        { input: { authId: randomUUID(), email, roles: [] } },
      ]);
    await ask(email);
    expect(subjectsTo(email).sort()).toEqual(["Sign in to Attackers", "Sign in to Plant"]);
  });

  it("answers five requests an hour from a network, so that one network cannot lock the owner of the address out, and 20 in all", async () => {
    const { email } = await newUser();
    for (let client = 1; client <= 6; client += 1) await askFrom(`203.0.113.${client}`, email);
    expect(mailbox.to(email)).toHaveLength(5);
    for (let client = 1; client <= 6; client += 1) await askFrom(`2001:db8:1:2::${client}`, email);
    expect(mailbox.to(email)).toHaveLength(10);
    await askFrom("198.51.100.7", email);
    expect(mailbox.to(email)).toHaveLength(11);
    for (let client = 1; client <= 12; client += 1) await askFrom(`10.0.${client}.1`, email);
    expect(mailbox.to(email)).toHaveLength(20);
  });

  it("mails an invited address the link of the invitation, while it is open", async () => {
    const email = newEmail();
    const id = await invite(gateway, admin, email);
    await ask(email);
    const [invitation, mail] = mailbox.to(email);
    expect(mail?.subject).toBe("Sign in to Plant");
    expect(linksIn(mail as never)).toEqual(linksIn(invitation as never));
    await run(gateway, admin, ["mutation ($id: UUID!) { revokeInvitation(id: $id) { id } }", { id }]);
    await ask(email);
    expect(mailbox.to(email)).toHaveLength(2);
  });

  it("ignores the credentials of others", async () => {
    const { email } = await newUser();
    expect(await run(gateway, admin, request(email))).toEqual({ requestSignInLink: true });
  });

  it("counts against the sender's address, also several times in one document", async () => {
    const limited = await gatewayForTest({
      environment: { ...mailbox.settings, RATE_LIMIT: undefined, RATE_LIMIT_ADDRESS: "10" },
    });
    const asked = listOf(12, (index) => `r${index}: requestSignInLink(email: "a@b.example")`);
    const { data, errors } = await limited.graphql<null>(`mutation { ${asked.join(" ")} }`);
    expect({ data, code: errors?.[0]?.extensions.code }).toEqual({ data: null, code: "RATE_LIMITED" });
    expect(await limited.prisma.signInLinkRequest.count()).toBeLessThan(10);
  });

  it.each([
    ["for all while too many requests wait", 2_000, "", "RATE_LIMITED"],
    ["for one network while many of its requests wait, and for no other", 300, "203.0.113.0/24", "ok"],
  ])("is RATE_LIMITED %s", async (_when, count, network, elsewhere) => {
    // The worker has just looked, and does so again in ten seconds.
    await ask(newEmail());
    const waiting = () =>
      gateway.prisma.signInLinkRequest.createMany({
        data: listOf(count, () => ({
          ...{ email: newEmail(), network, requestedAt: new Date(time) },
        })),
      });
    await waiting();
    expect(await askFrom("203.0.113.9", newEmail())).toBe("RATE_LIMITED");
    await waiting();
    expect(await askFrom("203.0.114.9", newEmail())).toBe(elsewhere);
    await gateway.prisma.signInLinkRequest.deleteMany({ where: { answeredAt: null } });
  });

  it("is FORBIDDEN with an identity provider, and UNAVAILABLE where the gateway sends no mails", async () => {
    const issuer = {
      AUTH_JWT_SECRET: undefined,
      AUTH_ISSUER: "http://127.0.0.1:1",
      AUTH_AUDIENCE: "gateway",
    };
    for (const [environment, code] of [
      [{ ...mailbox.settings, ...issuer }, "FORBIDDEN"],
      [{}, "UNAVAILABLE"],
    ] as const) {
      const other = await gatewayForTest({ environment });
      expect(await refusal(other, nobody, request(newEmail()))).toMatchObject({ code });
    }
  });
});

describe("a mail with a sign-in link", () => {
  it("is never shown, nor sent again on request", async () => {
    const { email } = await newUser();
    await ask(email);
    const { id } = await gateway.prisma.delivery.findFirstOrThrow({ where: { target: email } });
    const { workspace } = await gateway.data<{ workspace: { deliveries: { nodes: { id: string }[] } } }>(
      "{ workspace { deliveries(first: 200) { nodes { id } } } }",
      admin,
    );
    expect(workspace.deliveries.nodes.map((each) => each.id)).not.toContain(id);
    const again = ["mutation ($id: UUID!) { redeliver(ids: [$id]) { id } }", { id }] as const;
    expect(await refusal(gateway, admin, again)).toMatchObject({ code: "NOT_FOUND" });
  });

  it("is tried again while the mail server refuses it, but not after 15 minutes", async () => {
    const [early, late] = [await newUser(), await newUser()];
    mailbox.isAway = true;
    for (const { email } of [early, late]) await ask(email);
    mailbox.isAway = false;
    await gateway.prisma.delivery.updateMany({
      where: { target: late.email },
      data: { createdAt: new Date(time - 14 * minute) },
    });
    time += minute;
    await ask(newEmail());
    expect(mailbox.to(early.email)).toHaveLength(1);
    expect(mailbox.to(late.email)).toEqual([]);
    expect(await gateway.prisma.delivery.count({ where: { target: late.email } })).toBe(0);
  });

  const changed = (...call: Call) => run(gateway, admin, call);
  it.each<[string, (id: string) => Promise<unknown>]>([
    ["was removed", (id) => changed("mutation ($id: UUID!) { removeUser(userId: $id) { id } }", { id })],
    [
      "has another address",
      (id) =>
        changed(
          "mutation ($id: UUID!, $email: String!) { updateUser(id: $id, input: { email: $email }) { id } }",
          { id, email: newEmail() },
        ),
    ],
    [
      "has no access any more",
      (id) => gateway.prisma.user.updateMany({ where: { id }, data: { until: new Date(0) } }),
    ],
  ])("is not sent once its user %s", async (_how, change) => {
    const { id, email } = await newUser();
    mailbox.isAway = true;
    await ask(email);
    await change(id);
    mailbox.isAway = false;
    time += minute;
    await ask(newEmail());
    expect(mailbox.to(email)).toEqual([]);
  });

  it("counts for the workspace's messages of the day until one sent to the address has signed its user in", async () => {
    const other = await gatewayForTest({
      environment: { ...mailbox.settings, MAX_MESSAGES_PER_DAY: "2" },
    });
    const plant = await createPlant(other, "Plant");
    const email = newEmail();
    const id = await createUser(other.prisma, { workspaceId: plant.workspaceId, email });
    await ask(email, other);
    await signInBy(other, onlyLink(mailbox.to(email)));
    const [first, second] = [newEmail(), newEmail()];
    for (const address of [first, second]) {
      await createUser(other.prisma, { workspaceId: plant.workspaceId, email: address });
      await ask(address, other);
    }
    expect(mailbox.to(first)).toHaveLength(1);
    expect(mailbox.to(second)).toEqual([]);
    await ask(email, other);
    expect(mailbox.to(email)).toHaveLength(2);
    const moved = newEmail();
    await run(other, plant.admin, [
      "mutation ($id: UUID!, $email: String!) { updateUser(id: $id, input: { email: $email }) { id } }",
      { id, email: moved },
    ]);
    await ask(moved, other);
    expect(mailbox.to(moved)).toEqual([]);
  });

  it("to an invited address counts for the workspace's messages of the day, also once its inviter has accepted", async () => {
    const other = await gatewayForTest({
      environment: { ...mailbox.settings, MAX_MESSAGES_PER_DAY: "1" },
    });
    const plant = await createPlant(other, "Plant");
    const email = newEmail();
    await invite(other, plant.admin, email);
    const invitation = onlyLink(mailbox.to(email));
    await ask(email, other);
    expect(await signInBy(other, invitation)).toMatchObject({ me: { email } });
    await ask(email, other);
    expect(mailbox.to(email)).toHaveLength(1);
  });
});
