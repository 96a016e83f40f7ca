import type { Page } from "playwright-core";
import { createFacility } from "../support/factories.js";
import {
  browseSharedGateway,
  buttonOf,
  expectAccessible,
  expectNone,
  expectToFit,
  fillIn,
  notifying,
  waitForText,
} from "./console-page.js";
import { newSite } from "./own-console.js";

const own = browseSharedGateway({ environment: notifying });

/** Opens the profile of a new user, whose workspace has two facilities. */
async function openProfile(user: { email?: string } = {}) {
  const { workspaceId, facilityId: plant, open } = await newSite(own, { user });
  await createFacility(own.prisma, { workspaceId, name: "Depot" });
  return { ...(await open("/?view=settings&part=profile")), workspaceId, plant };
}

const digestOf = (page: Page) => page.getByRole("region", { name: "Daily digest" });

test("the digest is set in the profile, by the keyboard alone", async () => {
  const { page, workspaceId, plant } = await openProfile();
  await waitForText(digestOf(page), "Off", { exact: true });
  const dialog = page.getByRole("dialog");
  await buttonOf(page, "Edit: Daily digest").press("Enter");
  await dialog.getByLabel("Time", { exact: true }).fill("18:30");
  await fillIn(dialog, "Time zone", "Europe/Nowhere");
  await expectAccessible(page);
  await buttonOf(dialog, "Save").press("Enter");
  await waitForText(dialog, "Enter the name of a time zone, such as Europe/Berlin.");
  await fillIn(dialog, "Time zone", "Asia/Kolkata");
  await dialog.getByLabel("Plant").press("Space");
  await buttonOf(dialog, "Save").press("Enter");
  await waitForText(digestOf(page), "At 18:30 (Asia/Kolkata), 1 facility");
  const [digest] = await own.prisma.digest.findMany({ where: { workspaceId } });
  expect(digest).toMatchObject({ enabled: true, at: "18:30", facilityIds: [plant] });

  await buttonOf(page, "Edit: Daily digest").press("Enter");
  expect(await dialog.getByLabel("Plant").isChecked()).toBe(true);
  await dialog.getByLabel("Send it each day").press("Space");
  await buttonOf(dialog, "Save").press("Enter");
  await waitForText(digestOf(page), "Off", { exact: true });
  await page.setViewportSize({ width: 360, height: 700 });
  await expectAccessible(page);
  await expectToFit(page);
});

test("who has no email address reads why there is no digest", async () => {
  const { page } = await openProfile({ email: "" });
  await waitForText(digestOf(page), /you have no email address/);
  await expectNone(buttonOf(page, "Edit: Daily digest"));
});
