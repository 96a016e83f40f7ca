import { randomUUID } from "node:crypto";
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import { createAlertComment, createAlerts, createDelivery } from "../support/factories.js";
import { browseSharedGateway, violations } from "./console-page.js";
import { noProblems } from "./monitored-page.js";
import { equippedWorkspace, openOwnConsole } from "./own-console.js";

const shared = browseSharedGateway();

/** Asks for the rest of a list, and waits for all of its items. */
async function readAll(page: Page, items: Locator, counts: readonly number[]): Promise<void> {
  for (const [index, count] of counts.entries()) {
    if (index > 0) await page.getByRole("button", { name: "Show more" }).click();
    await expect.poll(() => items.count()).toBe(count);
  }
  expect(await page.getByRole("button", { name: "Show more" }).count()).toBe(0);
  expect(await violations(page)).toEqual([]);
}

test("notifications are listed to the oldest one, also of those that a filter leaves", async () => {
  const site = await equippedWorkspace(shared.gateway);
  const id = await createDelivery(shared.gateway.prisma, {
    workspaceId: site.workspaceId,
    facilityId: site.facilityId,
    state: "PARKED",
    sentAt: null,
  });
  const [row] = await shared.gateway.prisma.delivery.findMany({
    where: { workspaceId: site.workspaceId, id },
  });
  const copies = Array.from({ length: 119 }, () => ({ ...row, id: randomUUID() }));
  await shared.gateway.prisma.delivery.createMany({ data: copies as never });
  const { page, problems } = await openOwnConsole(shared, {
    workspaceId: site.workspaceId,
    address: "/?view=settings&part=notifications",
  });
  const items = page.getByRole("heading", { name: "Alert · Plant" });
  await readAll(page, items, [50, 100, 120]);
  await page.getByLabel("State").selectOption("Given up");
  await readAll(page, items, [50, 100, 120]);
  await items.first().locator("xpath=ancestor::li").getByRole("button", { name: "Send again" }).click();
  await page.getByText("It is sent again.").waitFor();
  expect(problems).toEqual(noProblems);
});

test("comments are listed to the oldest one", async () => {
  const { workspaceId, ...place } = await equippedWorkspace(shared.gateway);
  const [alertId = ""] = await createAlerts(shared.gateway.prisma, [{ workspaceId, ...place }]);
  const id = await createAlertComment(shared.gateway.prisma, { workspaceId, ...place, alertId });
  const [row] = await shared.gateway.prisma.alertComment.findMany({ where: { workspaceId, id } });
  const copies = Array.from({ length: 229 }, () => ({ ...row, id: randomUUID() }));
  await shared.gateway.prisma.alertComment.createMany({ data: copies as never });
  const { page, problems } = await openOwnConsole(shared, { workspaceId, address: `/?alert=${alertId}` });
  await page.getByRole("heading", { name: "230 comments" }).waitFor();
  await readAll(page, page.locator(".comment-text"), [100, 200, 230]);
  expect(problems).toEqual(noProblems);
});
