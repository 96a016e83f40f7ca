// Runs once: no database can influence what is tested here.
import path from "node:path";
import { startLocalServer } from "../access/issuer-server.js";
import { startS3Server } from "../support/s3-server.js";
import { rawUploads } from "./raw-uploads.js";
import { pictureAs } from "./sample-pictures.js";
import { startUpload } from "./slow-client.js";
import { UploadSite } from "./upload-site.js";

it("a client whose uploads wait for a bucket that does not respond leaves at most eight pictures behind, however many it starts", async () => {
  const bucket = await startS3Server();
  onTestFinished(bucket.remove);
  const unresponsive = await startLocalServer(() => {});
  const limitedSite = await UploadSite.forTest({
    environment: { ...bucket.settings, S3_ENDPOINT: unresponsive.url },
  });
  onTestFinished(unresponsive.close);
  const upload = rawUploads(limitedSite.ids, await pictureAs("jpeg", 64, 40))["a user by REST"];
  const waiting = async () =>
    (await limitedSite.snapshot()).temporary.filter((name) => path.basename(name) === "picture").length;
  for (let count = 1; count <= 12; count += 1) {
    const client = await startUpload(limitedSite, upload);
    await client.send(upload.body);
    await expect.poll(waiting, { interval: 5 }).toBe(Math.min(count, 8));
    await client.disconnect("abruptly");
  }
  expect(await waiting()).toBe(8);
});
