// Runs once: no database can influence what is tested here.

import type { Sender } from "../support/harness.js";
import { listOf } from "../support/list-of.js";
import { closingDelimiter } from "./multipart.js";
import { rawUploads, uploadKinds } from "./raw-uploads.js";
import { pictureAs } from "./sample-pictures.js";
import { type RawResponse, secondHalf, sendHalf, startUpload } from "./slow-client.js";
import { graphql, rest, resultOf } from "./upload-apis.js";
import { maxBytes, type StorageSnapshot, UploadSite } from "./upload-site.js";

let before: StorageSnapshot;

const site = await UploadSite.open();
const key = await site.newKey();
const picture = await pictureAs("jpeg");
beforeEach(async () => {
  before = await site.snapshotWhenIdle();
});
afterAll(() => site.close());

const expectUnchanged = () => site.expectUnchanged(before);
const uploads = (content: Uint8Array = picture) => rawUploads(site.ids, content);

describe.each([
  ["a camera by REST", "cleanly"],
  ["a user by REST", "abruptly"],
  ["a camera by GraphQL", "abruptly"],
  ["a user by GraphQL", "cleanly"],
] as const)("a client that disconnects while it uploads the picture of %s", (kind, how) => {
  describe(how, () => {
    it("in the middle of the file leaves nothing behind", async () => {
      const client = await sendHalf(site, uploads()[kind]);
      await client.disconnect(how);
      await expectUnchanged();
    });

    it("after the last byte of the file but before its delimiter leaves nothing behind", async () => {
      const upload = uploads()[kind];
      const client = await sendHalf(site, upload);
      await client.send(secondHalf(upload).subarray(0, -closingDelimiter.length - 2));
      await client.disconnect(how);
      await expectUnchanged();
    });

    it("right after sending a part of the body leaves nothing behind", async () => {
      const upload = uploads()[kind];
      for (const part of [
        upload.body.subarray(0, -closingDelimiter.length - 2),
        upload.body.subarray(0, upload.fileAt),
        upload.body.subarray(0, 1),
      ]) {
        const client = await startUpload(site, upload);
        await client.send(part);
        await client.disconnect(how);
      }
      await expectUnchanged();
    });
  });

  it("before the response leaves everything or nothing", async () => {
    const upload = uploads()[kind];
    for (let round = 0; round < 5; round += 1) {
      const client = await startUpload(site, upload);
      await client.send(upload.body);
      await client.disconnect("abruptly");
    }
    await site.expectNoOrphans();
  });
});

it.each(["a camera by REST", "a user by GraphQL"] as const)(
  "uploads of %s that are abandoned during authentication take no places",
  async (kind) => {
    const upload = uploads()[kind];
    await site.gateway.prisma.$transaction(
      async (transaction) => {
        await transaction.$executeRaw`LOCK TABLE "User" IN ACCESS EXCLUSIVE MODE`;
        const clients = await Promise.all(listOf(32, () => startUpload(site, upload)));
        await Promise.all(clients.map((client) => client.send(upload.body.subarray(0, upload.fileAt + 10))));
        await Promise.all(clients.map((client) => client.disconnect("abruptly")));
        await site.seenClosed();
      },
      { timeout: 60_000 },
    );
    await expect.poll(async () => (await rest.addCamera(site, picture)).code).toBe("OK");
    await site.expectNoOrphans();
  },
);

describe("an upload that is rejected gets its response before its body was sent:", () => {
  const large = new Uint8Array(8 * 2 ** 20);
  const tooLarge = new Uint8Array(maxBytes + 2 ** 20);
  const unknownFacility = "00000000-0000-4000-8000-000000000000";
  type Kind = (typeof uploadKinds)[number];
  interface Rejected {
    content?: Uint8Array;
    facilityId?: string;
    as?: () => Sender;
    method?: string;
    headers?: Record<string, string>;
    /** Whether it is rejected only when its fields were read. */
    afterFields?: true;
  }
  type Rejection = [kind: Kind, what: string, rejected: Rejected, status: number, code: string];
  const rejections: Rejection[] = [
    ["a camera by REST", "an anonymous one", { as: () => "nobody" }, 401, "UNAUTHENTICATED"],
    ["a camera by GraphQL", "an anonymous one", { as: () => "nobody" }, 401, "UNAUTHENTICATED"],
    ["a camera by REST", "an unknown facility", { facilityId: unknownFacility }, 404, "NOT_FOUND"],
    ["a user by REST", "an API key's own picture", { as: () => key }, 403, "FORBIDDEN"],
    [
      "a camera by REST",
      "a body of another type",
      { headers: { "content-type": "image/jpeg" } },
      415,
      "UNSUPPORTED_MEDIA_TYPE",
    ],
    ["a camera by REST", "a large Content-Length", { content: tooLarge }, 413, "PAYLOAD_TOO_LARGE"],
    ["a user by REST", "another method", { method: "POST" }, 405, "METHOD_NOT_ALLOWED"],
    [
      "a camera by GraphQL",
      "an unknown facility",
      { facilityId: unknownFacility, afterFields: true },
      200,
      "NOT_FOUND",
    ],
    [
      "a user by GraphQL",
      "no preflight header",
      { headers: { "apollo-require-preflight": "" }, afterFields: true },
      400,
      "BAD_REQUEST",
    ],
  ];
  /** Sends the headers of an upload that is to be rejected. */
  async function start(
    kind: Kind,
    { facilityId, content = large, method, as, headers }: Rejected,
    more: object = {},
  ) {
    const { head, ...rest } = rawUploads({ ...site.ids, ...(facilityId && { facilityId }) }, content)[kind];
    const upload = { ...rest, head: { ...head, ...(method && { method }) } };
    const client = await startUpload(site, upload, { as: as?.(), headers: { ...headers, ...more } });
    return { upload, client };
  }

  it.each(rejections)("%s, %s", async (kind, _what, rejected, status, code) => {
    const { upload, client } = await start(kind, rejected);
    const sent = upload.fileAt + 100;
    if (rejected.afterFields) await client.send(upload.body.subarray(0, sent));
    expect(await resultOf((await client.response()) as RawResponse)).toMatchObject({ status, code });
    // The connection can be reused once the rest was sent, or is closed.
    const isConnected = await client.send(upload.body.subarray(rejected.afterFields ? sent : 0));
    if (isConnected) await client.sendHead({ method: "GET", path: "/healthz", headers: {} });
    expect([200, undefined]).toContain((await client.response())?.status);
    await expectUnchanged();
  });

  it.each(rejections)(
    "%s, %s, even if the client reads nothing until it has sent everything",
    async (kind, _what, rejected, status, code) => {
      const { upload, client } = await start(kind, rejected);
      client.pauseReading();
      await client.send(upload.body);
      const response = await client.response();
      expect(response, "a response").toBeDefined();
      expect(await resultOf(response as RawResponse)).toMatchObject({ status, code });
    },
  );

  it.each(rejections.filter(([, , { afterFields, headers }]) => !afterFields && !headers))(
    "%s, %s, even if the client sends Expect: 100-continue",
    async (kind, _what, rejected, status, code) => {
      const { client } = await start(kind, rejected, { expect: "100-continue" });
      expect(await resultOf((await client.response()) as RawResponse)).toMatchObject({ status, code });
    },
  );

  it("of a caller over the rate limit", async () => {
    const strict = await UploadSite.forTest({ environment: { RATE_LIMIT: "on", RATE_LIMIT_CALLER: "1" } });
    expect((await strict.gateway.fetch("/cameras", { as: strict.admin })).status).toBe(200);
    for (const kind of uploadKinds) {
      const client = await startUpload(strict, rawUploads(strict.ids, large)[kind]);
      expect(await resultOf((await client.response()) as RawResponse)).toMatchObject({
        status: 429,
        code: "RATE_LIMITED",
      });
      await client.disconnect("cleanly");
    }
  });

  it("that is malformed in the middle of its body, however much follows", async () => {
    const { head, body, fileAt, fileLength } = uploads(large)["a camera by REST"];
    const repeated = body.subarray(0, fileAt + 100);
    const upload = { head, fileAt, fileLength, body: Buffer.concat([repeated, Buffer.from("\r\n"), body]) };
    for (const reads of [true, false]) {
      const client = await startUpload(site, upload, { headers: { "content-length": upload.body.length } });
      if (!reads) client.pauseReading();
      const isConnected = await client.send(upload.body);
      expect(await client.response()).toMatchObject({
        status: 400,
        text: expect.stringContaining("must be given once"),
      });
      if (isConnected) await client.sendHead({ method: "GET", path: "/healthz", headers: {} });
      expect([200, undefined]).toContain((await client.response())?.status);
    }
    await expectUnchanged();
  });

  it("and an endless body is not read forever", async () => {
    const { head, body, fileAt } = uploads()["a camera by REST"];
    const { "content-length": _length, ...headers } = head.headers;
    const endless = {
      head: { ...head, headers: { ...headers, "transfer-encoding": "chunked" } },
      body,
      fileAt,
      fileLength: 0,
    };
    const client = await startUpload(site, endless);
    const start = body.subarray(0, fileAt);
    await client.send(
      Buffer.concat([Buffer.from(`${start.length.toString(16)}\r\n`), start, Buffer.from("\r\n")]),
    );
    const chunk = Buffer.concat([Buffer.from("100000\r\n"), Buffer.alloc(2 ** 20), Buffer.from("\r\n")]);
    let sent = 0;
    while (sent < 100 && (await client.send(chunk))) sent += 1;
    expect(sent).toBeLessThan(50);
    await expectUnchanged();
  });
});

it.each(uploadKinds)(
  "a client that sends Expect: 100-continue gets 100 Continue and then its response: %s",
  async (kind) => {
    const upload = uploads()[kind];
    const client = await startUpload(site, upload, { headers: { expect: "100-continue" } });
    expect(await client.response()).toMatchObject({ status: 100 });
    await client.send(upload.body);
    expect(await resultOf((await client.response()) as RawResponse)).toMatchObject({
      status: 200,
      code: "OK",
    });
  },
);

it("the places for uploads are free again after uploads that have ended, however they ended", async () => {
  const notAPicture = Buffer.from("not a picture");
  for (let round = 0; round < 33; round += 1) {
    await (
      await sendHalf(site, uploads()[uploadKinds[round % uploadKinds.length] as (typeof uploadKinds)[number]])
    ).disconnect("cleanly");
    expect((await rest.addCamera(site, notAPicture)).code).toBe("UNSUPPORTED_MEDIA_TYPE");
    expect((await graphql.addCamera(site, notAPicture)).code).toBe("UNSUPPORTED_MEDIA_TYPE");
  }
  await expectUnchanged();
});
