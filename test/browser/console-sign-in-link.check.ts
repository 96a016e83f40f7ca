import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createPlant, Mailbox, onlyLink } from "../delivery/personal-mail-site.js";
import { createCamera, createUser } from "../support/factories.js";
import { type Gateway, sharedGateway, startGateway } from "../support/harness.js";
import {
  buttonOf,
  clickButton,
  expectAccessible,
  expectNone,
  fillIn,
  openSignedOutPage,
  pressKeys,
  waitForText,
} from "./console-page.js";
import { closePages, sharedBrowser } from "./monitored-page.js";

const email = "ada@test.example";
let mailbox: Mailbox;
let gateway: Gateway;
let browser: Browser;
let origin: string;
beforeAll(async () => {
  mailbox = await Mailbox.open();
  gateway = await startGateway({ seed: "none", environment: mailbox.settings });
  browser = await sharedBrowser();
  origin = gateway.url.replace("127.0.0.1", "localhost");
  const { workspaceId, facilityId } = await createPlant(gateway, "Plant");
  await createCamera(gateway.prisma, { workspaceId, facilityId, name: "Gate" });
  await createUser(gateway.prisma, { workspaceId, email, roles: ["facilities:read"] });
}, 120_000);
afterAll(async () => {
  await closePages();
  await gateway?.close();
  await mailbox?.close();
});

test("a user asks for a link by mail, and signs in with it", async () => {
  const { page, problems } = await openSignedOutPage(browser, origin);
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
  await page.goto(`${origin}/?view=fleet&text=gate${hash}`);
  await clickButton(page, "Sign in with the link");
  await page.getByRole("article", { name: "Gate" }).waitFor();
  expect(mailbox.to("nobody@test.example")).toEqual([]);
  expect(problems.crossOriginRequests).toEqual([]);
});

test("in German, and where the gateway sends no mails, the card says what there is", async () => {
  const german = await openSignedOutPage(browser, origin, "/", {
    extraHTTPHeaders: { via: "1.1 proxy" },
    locale: "de-DE",
  });
  await buttonOf(german.page, "Link zusenden").waitFor();
  const other = await sharedGateway();
  const { page } = await openSignedOutPage(browser, other.url.replace("127.0.0.1", "localhost"));
  await page.getByLabel("Token or API key").waitFor();
  await expectNone(page.getByLabel("Email address"));
});
