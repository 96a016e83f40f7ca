import { test } from "vitest";
import { demoConsole, openConsolePage, violations } from "./console-page.js";
const demo = demoConsole();
test("look", async () => {
  for (const [part, extra] of [["facilities", ""], ["keys", ""], ["notifications", ""], ["audit", ""], ["profile", ""]] as const) {
    const { page, problems } = await openConsolePage(demo.browser, demo.origin, `/?view=settings&part=${part}${extra}`, { viewport: { width: 1280, height: 800 } });
    await page.locator(".administration-part").waitFor();
    await page.waitForTimeout(700);
    await page.screenshot({ path: `/tmp/shots/${part}.png` });
    console.log(part, await violations(page), JSON.stringify(problems));
    if (part === "facilities") {
      await page.getByRole("button", { name: "Add a facility" }).click();
      await page.screenshot({ path: `/tmp/shots/facility-form.png` });
      console.log("form", await violations(page));
      await page.getByLabel("Name").fill("Plant 9");
      await page.keyboard.press("Escape");
      await page.screenshot({ path: `/tmp/shots/discard.png` });
      console.log("discard", await violations(page));
      await page.getByRole("button", { name: "Keep editing" }).click();
      await page.getByLabel("Time zone").fill("Nowhere/Land");
      await page.getByRole("button", { name: "Save" }).click();
      await page.waitForTimeout(500);
      await page.screenshot({ path: `/tmp/shots/problem.png` });
      await page.getByLabel("Time zone").fill("Europe/Berlin");
      await page.getByRole("button", { name: "Save" }).click();
      await page.waitForTimeout(800);
      await page.screenshot({ path: `/tmp/shots/added.png` });
      await page.getByRole("button", { name: "Add a camera" }).click();
      await page.screenshot({ path: `/tmp/shots/camera-form.png` });
    }
    if (part === "keys") {
      await page.getByRole("button", { name: "Create a key" }).click();
      await page.getByLabel("Name").fill("Detector");
      await page.getByLabel("Record, mark").check();
      await page.screenshot({ path: `/tmp/shots/key-form.png` });
      await page.getByRole("dialog").getByRole("button", { name: "Create a key" }).click();
      await page.waitForTimeout(800);
      await page.screenshot({ path: `/tmp/shots/key-new.png` });
      console.log("new key", await violations(page));
    }
  }
  const { page } = await openConsolePage(demo.browser, demo.origin, `/?view=settings`, { viewport: { width: 360, height: 740 } });
  await page.locator(".administration-part").waitFor();
  await page.waitForTimeout(700);
  await page.screenshot({ path: `/tmp/shots/phone.png` });
}, 120_000);
