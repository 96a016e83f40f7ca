// Runs once: both kinds of databases run the same statements.
import { run } from "../support/harness.js";
import { filesBelow } from "../support/object-store.js";
import { TestSite } from "../support/test-site.js";
import { pictureAs } from "../uploads/sample-pictures.js";
import { Detector } from "./detector.js";

let detector: Detector;

const site = await TestSite.open();
const gateway = await site.start();
const picture = await pictureAs("jpeg", 640, 480);
afterAll(async () => {
  await gateway.close();
  await site.remove();
});
beforeEach(async () => {
  detector = await Detector.open(gateway);
});

const upload = (of = detector) => of.upload(picture);

const stored = async (uploadId: string) =>
  (await filesBelow(site.directory)).filter((name) => name.startsWith(`objects/uploads/${uploadId}`));

const deleteAlerts = (ids: string[]) =>
  run(gateway, detector.admin, [
    "mutation ($ids: [UUID!]!) { deleteAlerts(ids: $ids) { deletedIds } }",
    { ids },
  ]);

describe("the upload of a frame", () => {
  it("is shown by all alerts that the frame raises, and removed with the last of them", async () => {
    await detector.newRule();
    await detector.newRule();
    await detector.newRule();
    const uploadId = await upload();
    await detector.send([detector.frame(0, undefined, { uploadId })]);
    const alerts = await detector.alerts();
    expect(alerts).toHaveLength(3);
    for (const alert of alerts) {
      expect(alert.url).toContain(`uploads/${uploadId}-`);
      expect(alert.imageDimensions).toEqual({ width: 640, height: 480 });
    }
    expect(new Set(alerts.map(({ url }) => url)).size).toBe(1);
    const [first, second, third] = alerts.map(({ id }) => id) as [string, string, string];
    await deleteAlerts([first]);
    await gateway.app.idle();
    expect(await stored(uploadId)).toHaveLength(2);
    await deleteAlerts([second, third]);
    await expect.poll(() => stored(uploadId)).toEqual([]);
    const { workspaceId } = detector;
    expect(await gateway.prisma.sharedPicture.count({ where: { workspaceId } })).toBe(0);
  });

  it("is removed with alerts that are deleted at once", async () => {
    await detector.newRule();
    await detector.newRule();
    const uploadId = await upload();
    await detector.send([detector.frame(0, undefined, { uploadId })]);
    await Promise.all((await detector.alerts()).map(({ id }) => deleteAlerts([id])));
    await expect.poll(() => stored(uploadId)).toEqual([]);
  });

  it("must be one of the camera's facility that no alert uses; if not, nothing of the request counts", async () => {
    await detector.newRule();
    const used = await upload();
    await detector.send([detector.frame(0, undefined, { uploadId: used })]);
    const before = { alerts: await detector.alerts(), states: await detector.states() };
    for (const uploadId of [used, await upload(await Detector.open(gateway))]) {
      const input = [detector.frame(1), detector.frame(2, undefined, { uploadId })];
      expect(await detector.refused(input)).toMatchObject({
        code: "BAD_REQUEST",
        paths: ["input.1.uploadId"],
      });
    }
    expect({ alerts: await detector.alerts(), states: await detector.states() }).toEqual(before);
  });

  it("is not asked for if the frame raises nothing, as when it is sent again", async () => {
    await detector.newRule();
    const frame = detector.frame(0, undefined, { uploadId: await upload() });
    await detector.send([frame]);
    expect(await detector.send([frame])).toEqual({ processed: 0, dropped: 1, alerts: [] });
  });
});
