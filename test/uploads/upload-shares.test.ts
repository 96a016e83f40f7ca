// Runs once: no database can influence what is tested here.

import type { Sender } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { largePicture } from "./hostile-files.js";
import { rawUploads, uploadKinds } from "./raw-uploads.js";
import { pictureAs } from "./sample-pictures.js";
import { type RawResponse, type SlowClient, secondHalf, sendHalf, startUpload } from "./slow-client.js";
import { rest, resultOf, uploadApis } from "./upload-apis.js";
import { createUploadUsers, UploadSite } from "./upload-site.js";

const slotsPerCaller = 8;
const waitingPerCaller = 24;

const site = await UploadSite.open();

/** Callers of the same workspace, and one of another, where they add cameras. */
const [second, third] = [await site.newKey(), await site.newKey()];
const { facilityId } = await createUploadUsers(site.gateway.prisma, "foreign");
const foreign: { as: Sender; facilityId: string } = { as: { user: "foreign|admin" }, facilityId };
const picture = await pictureAs("jpeg", 64, 40);
afterAll(() => site.close());

const uploadOf = (
  kind: (typeof uploadKinds)[number] = "a camera by REST",
  facilityId = site.ids.facilityId,
) => rawUploads({ facilityId }, picture)[kind];

/**
 * Uploads of a caller that stop in the middle of their file, one in each slot that the
 * caller may take.
 */
async function takeAllSlots(as: Sender): Promise<SlowClient[]> {
  const clients: SlowClient[] = [];
  for (let index = 0; index < slotsPerCaller; index += 1) {
    const kind =
      "user" in (as as object) ? uploadKinds[index % uploadKinds.length] : uploadKinds[(index % 2) * 2];
    clients.push(await sendHalf(site, uploadOf(kind), as));
  }
  return clients;
}

const waitingUpload = (as: Sender) =>
  startUpload(site, uploadOf(), { as, headers: { expect: "100-continue" } });

async function sendRest(client: SlowClient): Promise<string> {
  expect(await client.response()).toMatchObject({ status: 100 });
  await client.send(uploadOf().body);
  return (await resultOf((await client.response()) as RawResponse)).code;
}

it("are not all taken by one caller, whose further uploads wait for those in progress", async () => {
  const taken = await takeAllSlots(site.admin);
  const waiting = await waitingUpload(site.admin);
  for (const [, api] of uploadApis)
    expect((await api.addCamera(site, picture, { as: second })).code).toBe("OK");
  await taken[0]?.disconnect("abruptly");
  expect(await sendRest(waiting)).toBe("OK");
});

it("are not all taken by one workspace", async () => {
  const taken = [...(await takeAllSlots(site.admin)), ...(await takeAllSlots(second))];
  const waiting = await waitingUpload(third);
  const elsewhere = await startUpload(site, uploadOf("a camera by REST", foreign.facilityId), foreign);
  await elsewhere.send(uploadOf("a camera by REST", foreign.facilityId).body);
  expect(await elsewhere.response()).toMatchObject({ status: 200 });
  await taken.at(-1)?.disconnect("cleanly");
  expect(await sendRest(waiting)).toBe("OK");
});

it("are awaited by a limited number of one caller's uploads, and not by uploads of disconnected clients", async () => {
  const taken = await takeAllSlots(site.admin);
  const waiting = await Promise.all(listOf(waitingPerCaller + 1, () => waitingUpload(site.admin)));
  const [refused, answer] = await Promise.race(
    waiting.map(async (client) => [client, await client.response()] as const),
  );
  expect(answer).toMatchObject({ status: 429, headers: { "retry-after": "10" } });
  expect(await resultOf(answer as RawResponse)).toMatchObject({ code: "RATE_LIMITED" });
  expect((await rest.addCamera(site, picture, { as: second })).code).toBe("OK");
  for (const client of waiting) if (client !== refused) await client.disconnect("abruptly");
  const next = await waitingUpload(site.admin);
  await taken[0]?.disconnect("cleanly");
  expect(await sendRest(next)).toBe("OK");
});

it("are kept while a picture is decoded, and pictures of one workspace do not delay those of others", async () => {
  const large = largePicture();
  const order: string[] = [];
  const add = async (as: Sender, facilityId: string) => {
    const upload = rawUploads({ facilityId }, large)["a camera by REST"];
    const client = await startUpload(site, upload, { as });
    await client.send(upload.body);
    return async () => {
      expect(await client.response()).toMatchObject({ status: 200 });
      order.push(facilityId);
    };
  };
  const answers = [];
  for (let index = 0; index < slotsPerCaller; index += 1)
    answers.push(await add(site.admin, site.ids.facilityId));
  answers.push(await add(foreign.as, foreign.facilityId));
  await Promise.all(answers.map((answer) => answer()));
  expect(order.indexOf(foreign.facilityId)).toBeLessThan(slotsPerCaller / 2);
});

it("are not taken by forms whose operation has not arrived, because its permissions are unknown", async () => {
  for (let index = 0; index <= slotsPerCaller; index += 1) {
    const upload = uploadOf("a user by GraphQL");
    await (await startUpload(site, upload)).send(upload.body.subarray(0, 100));
  }
  for (const [, api] of uploadApis) expect((await api.addCamera(site, picture)).code).toBe("OK");
});

it.each(uploadKinds)("are lost by a client that sends too slowly: %s", async (kind) => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const upload = uploadOf(kind);
  const client = await sendHalf(site, upload);
  const tenSeconds = () => vi.advanceTimersByTimeAsync(10_000);
  await tenSeconds();
  const answer = (await client.response()) as RawResponse;
  expect(await resultOf(answer)).toMatchObject({ code: "BAD_REQUEST" });
  // The connection has been closed.
  await expect.poll(() => client.send(secondHalf(upload))).toBe(false);
});
