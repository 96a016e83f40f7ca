import { createPlant, Mailbox, onlyLink } from "../delivery/personal-mail-site.js";
import { createCamera, createUser, createWorkspace } from "../support/factories.js";
import { sharedGateway } from "../support/harness.js";
import {
  browseOwnGateway,
  buttonOf,
  clickButton,
  expectAccessible,
  expectNone,
  fillIn,
  openSignedOutPage,
  pressKeys,
  waitForText,
} from "./console-page.js";

const email = "ada@test.example";
let mailbox: Mailbox;
const own = browseOwnGateway(async () => {
  mailbox = await Mailbox.open();
  return { environment: mailbox.settings };
});
beforeAll(async () => {
  const { workspaceId, facilityId } = await createPlant(own.gateway, "Plant");
  await createCamera(own.prisma, { workspaceId, facilityId, name: "Gate" });
  await createUser(own.prisma, { workspaceId, email, roles: ["facilities:read"] });
});
afterAll(() => mailbox?.close());

test("a user asks for a link by mail, and signs in with it", async () => {
  const { page, problems } = await openSignedOutPage(own.origin);
  const developers = buttonOf(page, "Developers");
  await fillIn(page, "Email address", "ada");
  expect(await developers.isVisible()).toBe(false);
  await pressKeys(page, "Enter");
  await waitForText(page.getByRole("alert"), "Enter an email address.");
  await fillIn(page, "Email address", "nobody@test.example");
  await pressKeys(page, "Enter");
  const said = page.getByRole("status").getByText("a link is on its way to it");
  await said.waitFor();
  await fillIn(page, "Email address", email);
  await clickButton(page, "Send me a link");
  await said.waitFor();
  await expectAccessible(page);
  await expect.poll(() => mailbox.to(email).length).toBe(1);
  const { hash } = new URL(onlyLink(mailbox.to(email)));
  await page.goto(`${own.origin}/?view=fleet&text=gate${hash}`);
  await clickButton(page, `Sign in as ${email}`);
  const question = page.getByRole("dialog", { name: "Welcome: what is your name?" });
  await fillIn(question, "First name", "Ada");
  await fillIn(question, "Last name", "Byron");
  await expectAccessible(page);
  await clickButton(question, "Save");
  await question.waitFor({ state: "hidden" });
  await page.getByRole("article", { name: "Gate" }).waitFor();
  await developers.waitFor();
  expect(await own.prisma.user.findFirst({ where: { email } })).toMatchObject({
    firstName: "Ada",
    lastName: "Byron",
  });
  expect(mailbox.to("nobody@test.example")).toEqual([]);
  expect(problems.crossOriginRequests).toEqual([]);
});

test("an invitation says who invites whom to what, and what is wrong with a link that does not sign in", async () => {
  const workspaceId = await createWorkspace(own.prisma, { name: "Acme" });
  const inviterId = await createUser(own.prisma, {
    workspaceId,
    firstName: "Grace",
    lastName: "Hopper",
    roles: ["users:write"],
  });
  const { authId } = await own.prisma.user.findFirstOrThrow({ where: { workspaceId, id: inviterId } });
  const { inviteUser } = await own.gateway.data<{ inviteUser: { id: string; url: string } }>(
    'mutation { inviteUser(input: { email: "ben@test.example", roles: [] }) { id url } }',
    { as: { user: authId } },
  );
  const { hash } = new URL(inviteUser.url);
  await expect.poll(() => mailbox.to("ben@test.example")[0]?.text).toContain("Grace Hopper");
  const { page } = await openSignedOutPage(own.origin, `/${hash}`);
  await waitForText(page, "Grace Hopper invites you to Acme.");
  expect(await page.getByLabel("Email address").isVisible()).toBe(false);
  await buttonOf(page, "Sign in as ben@test.example").waitFor();
  await page.goto(`${own.origin}/${hash.slice(0, -3)}`);
  await waitForText(page.getByRole("alert"), "This link is incomplete.");
  await expectNone(buttonOf(page, /Sign in as/));
  await own.prisma.invitation.updateMany({ where: { id: inviteUser.id }, data: { revokedAt: new Date() } });
  await page.goto(`${own.origin}/?again${hash}`);
  await clickButton(page, "Sign in as ben@test.example");
  await waitForText(page.getByRole("alert"), "This link has been used, or a newer one replaces it.");
});

test("in German, and where the gateway sends no mails, the card says what there is", async () => {
  const german = await openSignedOutPage(own.origin, "/", {
    extraHTTPHeaders: { via: "1.1 proxy" },
    locale: "de-DE",
  });
  await buttonOf(german.page, "Link zusenden").waitFor();
  const other = await sharedGateway();
  const { page } = await openSignedOutPage(other.url.replace("127.0.0.1", "localhost"));
  await page.getByLabel("Token or API key").waitFor();
  await expectNone(page.getByLabel("Email address"));
});
