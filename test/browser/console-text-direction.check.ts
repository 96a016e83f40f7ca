import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { permissions } from "../../src/access/permissions.js";
import {
  createAlertComment,
  createAlertRule,
  createAlerts,
  createCamera,
  createDelivery,
  createFacility,
  createUser,
  createWorkspace,
} from "../support/factories.js";

import { browseSharedGateway, goWithin, openSignedIn } from "./console-page.js";

/**
 * A text that runs from right to left, with an override and an end of an isolate, as
 * older versions stored them.
 */
const stored = (what: string) => `שלום\u202e\u2069 ${what}`;
const authId = `test|${randomUUID()}`;

const shared = browseSharedGateway();
let ids: { camera: string; alert: string };
beforeAll(async () => {
  const { prisma } = shared;
  const workspaceId = await createWorkspace(prisma, { name: stored("workspace") });
  // While a facility is offline, the status of its cameras is not shown.
  const facilityId = await createFacility(prisma, {
    workspaceId,
    name: stored("facility"),
    lastHeartbeatAt: new Date(),
  });
  const cameraId = await createCamera(prisma, {
    workspaceId,
    facilityId,
    name: stored("camera"),
    statusDetail: stored("status"),
  });
  const names = { firstName: stored("first"), lastName: stored("last") };
  const userId = await createUser(prisma, { workspaceId, authId, roles: [...permissions], ...names });
  const area = {
    id: randomUUID(),
    type: "AREA",
    name: stored("area"),
    points: [0, 40, 80].map((at) => ({ x: at, y: at % 50 })),
  };
  const alertRuleId = await createAlertRule(prisma, {
    cameraId,
    name: stored("rule"),
    severity: stored("severity"),
    status: stored("state"),
    emails: [`${stored("mail")}@test.example`],
    group: { id: randomUUID(), type: "GROUP", operator: "AND", children: [area] },
  });
  const place = { workspaceId, facilityId, cameraId };
  const report = { statusDetail: stored("report"), source: "DASHBOARD" };
  await prisma.statusChange.create({ data: { workspaceId, cameraId, ...report } });
  const mark = { acknowledgedAt: new Date(), acknowledgedById: userId };
  const now = new Date();
  const [alertId] = (await createAlerts(
    prisma,
    [{ ...place, ...mark, alertRuleId, name: stored("type"), severity: stored("grave") }],
    now,
  )) as [string];
  await createAlertComment(prisma, {
    ...place,
    alertId,
    authorName: stored("author"),
    text: stored("comment"),
  });
  await createDelivery(prisma, { ...place, alertId, channel: "EMAIL", target: stored("target") });
  ids = { camera: cameraId, alert: alertId };
});

/** A piece of text on the page, with its surroundings. */
interface ShownText {
  text: string;
  /** The whole text of the element that isolates it. */
  isolate: string | null;
}

/** The stored texts that the page shows. */
const shownTexts = (page: Page): Promise<ShownText[]> =>
  page.evaluate(() => {
    const attributes = [...document.querySelectorAll("*")].flatMap((element) => [...element.attributes]);
    const labels = attributes
      .filter(({ name }) => ["alt", "aria-label", "title"].includes(name))
      .map(({ value }) => ({ text: value, isolate: null }));
    const texts = [...document.querySelectorAll<HTMLElement>("body :not(option, textarea, script, :empty)")]
      .flatMap((element) => [...element.childNodes])
      .filter(({ nodeType }) => nodeType === Node.TEXT_NODE)
      .map(({ textContent, parentElement }) => ({
        text: textContent ?? "",
        isolate: parentElement?.closest("bdi")?.textContent ?? null,
      }));
    return [...labels, ...texts].filter(({ text }) => text.includes("שלום"));
  });

/**
 * Whether the direction of a text affects the text around it, because neither an element
 * nor characters isolate it.
 */
function isLoose({ text, isolate }: ShownText): boolean {
  if (isolate !== null) return isolate !== text || /[\u202a-\u202e\u2066-\u2069]/.test(text);
  return text.replace(/\u2068[^\u202a-\u202e\u2066-\u2069]*\u2069/g, "").includes("שלום");
}

test("the direction of a stored text does not affect the text beside it", async () => {
  const { page } = await openSignedIn(shared, authId, "/?view=fleet");
  const all: ShownText[] = [];
  for (const [address, ...shown] of [
    ["/?view=fleet", ".camera-tile .newest-type"],
    [
      `/?camera=${ids.camera}`,
      ".camera-rule-list li",
      ".timeline :text('report')",
      ".camera-alerts .alert-tile",
    ],
    [`/?view=alerts&alert=${ids.alert}`, ".comment-text", ".alert-tile"],
    [`/?view=rules&camera=${ids.camera}`, ".rule-card"],
    ["/?view=insight&period=7d", ".busiest"],
    ["/", ".today-list a"],
  ] as [string, ...string[]][]) {
    await goWithin(page, address);
    for (const each of shown) await page.locator(each).first().waitFor({ state: "attached" });
    all.push(...(await shownTexts(page)));
  }
  expect(all.filter(isLoose)).toEqual([]);
  const everything = all.map(({ text }) => text).join("\n");
  const parts = [
    "workspace",
    "facility",
    "camera",
    "status",
    "report",
    "first",
    "last",
    "rule",
    "severity",
    "state",
    "mail",
    "area",
  ];
  for (const part of [...parts, "type", "grave", "author", "comment", "target"])
    expect(everything).toContain(part);
});
