import { createPlant, Mailbox, onlyLink } from "../delivery/personal-mail-site.js";
import { createCamera, createUser } from "../support/factories.js";
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
  await fillIn(page, "Email address", "ada");
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
  await clickButton(page, "Sign in with the link");
  await page.getByRole("article", { name: "Gate" }).waitFor();
  expect(mailbox.to("nobody@test.example")).toEqual([]);
  expect(problems.crossOriginRequests).toEqual([]);
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
