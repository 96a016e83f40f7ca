// Runs once: no database can influence what is tested here.
import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import sharp from "sharp";
import { createAdmin, createAlerts, createPlace } from "../support/factories.js";
import { TestSite } from "../support/test-site.js";
import { Assistant } from "./assistant.js";

/** A picture of noise, which has the most detail; the more it is blurred, the less. */
const noise = (side: number, blur: number) =>
  sharp({
    create: {
      ...{ width: side, height: side, channels: 3, background: "grey" },
      noise: { type: "gaussian", mean: 128, sigma: 60 },
    },
  })
    .blur(blur)
    .jpeg()
    .toBuffer();

it.each([
  ["smaller, the more detail it has", 0.3, [768, 512]],
  ["as large as may be, if it has little", 8, [1024]],
])("shows a picture %s, in at most 256 KB", async (_how, blur, sides) => {
  const site = await TestSite.forTest();
  const gateway = await site.start();
  try {
    const { prisma } = gateway;
    const { workspaceId, facilityId, cameraId } = await createPlace(prisma);
    const user = await createAdmin(prisma, workspaceId);
    const key = `pictures/${randomUUID()}.jpg`;
    const file = path.join(site.directory, "objects", key);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, await noise(1_600, blur));
    const [alert_id] = await createAlerts(prisma, [{ workspaceId, facilityId, cameraId, url: key }]);
    const { content } = await (await Assistant.open(gateway, user.as)).call("get_alert", { alert_id });
    const picture = Buffer.from((content[1] as { data: string }).data, "base64");
    expect(picture.length).toBeLessThanOrEqual(256 * 1024);
    const { format, width } = await sharp(picture).metadata();
    expect(format).toBe("jpeg");
    expect(sides).toContain(width);
  } finally {
    await gateway.close();
  }
});
