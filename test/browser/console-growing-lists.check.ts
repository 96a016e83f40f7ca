import { randomUUID } from "node:crypto";
import type { Locator, Page } from "playwright-core";
import { createAlertComment, createDelivery } from "../support/factories.js";
import { listOf } from "../support/list-of.js";
import {
  browseSharedGateway,
  buttonOf,
  clickButton,
  expectAccessible,
  expectCount,
  expectNone,
  waitForHeading,
  waitForText,
} from "./console-page.js";
import { noProblems } from "./monitored-page.js";
import { newSite } from "./own-console.js";

const shared = browseSharedGateway();

/** Asks for the rest of a list, and waits for all of its items. */
async function readAll(page: Page, items: Locator, counts: readonly number[]): Promise<void> {
  for (const [index, count] of counts.entries()) {
    if (index > 0) await clickButton(page, "Show more");
    await expectCount(items, count);
  }
  await expectNone(buttonOf(page, "Show more"));
  await expectAccessible(page);
}

test("notifications are listed to the oldest one, also of those that a filter leaves", async () => {
  const { workspaceId, facilityId, open } = await newSite(shared);
  const id = await createDelivery(shared.prisma, { workspaceId, facilityId, state: "PARKED", sentAt: null });
  const [row] = await shared.prisma.delivery.findMany({ where: { workspaceId, id } });
  const copies = listOf(119, () => ({ ...row, id: randomUUID() }));
  await shared.prisma.delivery.createMany({ data: copies as never });
  const { page, problems } = await open("/?view=settings&part=notifications");
  const items = page.getByRole("heading", { name: "Alert · Plant" });
  await readAll(page, items, [50, 100, 120]);
  await page.getByLabel("State").selectOption("Given up");
  await readAll(page, items, [50, 100, 120]);
  await clickButton(items.first().locator("xpath=ancestor::li"), "Send again");
  await waitForText(page, "It is sent again.");
  expect(problems).toEqual(noProblems);
});

test("comments are listed to the oldest one", async () => {
  const { workspaceId, place, raise, open } = await newSite(shared);
  const [alertId = ""] = await raise({});
  const id = await createAlertComment(shared.prisma, { ...place, alertId });
  const [row] = await shared.prisma.alertComment.findMany({ where: { workspaceId, id } });
  const copies = listOf(229, () => ({ ...row, id: randomUUID() }));
  await shared.prisma.alertComment.createMany({ data: copies as never });
  const { page, problems } = await open(`/?alert=${alertId}`);
  await waitForHeading(page, "230 comments");
  await readAll(page, page.locator(".comment-text"), [100, 200, 230]);
  expect(problems).toEqual(noProblems);
});
