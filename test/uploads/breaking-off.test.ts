import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Sender } from "../support/harness.js";
import { doors, graphql, outcomeOf, rest } from "./doors.js";
import { ending } from "./multipart.js";
import { sceneAs } from "./samples.js";
import { beginUpload, secondHalf, sendHalf, type WireAnswer } from "./slow-client.js";
import { createPeople, maximumBytes, type Traces, UploadSite } from "./upload-site.js";
import { type Upload, uploadsOf, ways } from "./uploads-by-hand.js";

let site: UploadSite;
let before: Traces;
let picture: Buffer;
let key: Sender;
/** A facility of another workspace. */
let foreignId: string;
beforeAll(async () => {
  site = await UploadSite.open();
  key = await site.newKey();
  foreignId = (await createPeople(site.gateway.prisma, "foreign")).facilityId;
  picture = await sceneAs("jpeg");
});
beforeEach(async () => {
  before = await site.traces();
});
afterAll(() => site.close());

const expectNoTrace = () => site.expectUnchanged(before);
const uploads = (content: Uint8Array = picture) => uploadsOf(site.ids, content);

describe.each(ways)("a client that hangs up over the picture of %s", (way) => {
  describe.each(["politely", "abruptly"] as const)("%s", (how) => {
    it("in the middle of it leaves nothing", async () => {
      const client = await sendHalf(site, uploads()[way]);
      await client.hangUp(how);
      await expectNoTrace();
    });

    it("behind its last byte, and before it is known that this is the last, leaves nothing", async () => {
      const upload = uploads()[way];
      const client = await sendHalf(site, upload);
      await client.send(secondHalf(upload).subarray(0, -ending.length - 2));
      await client.hangUp(how);
      await expectNoTrace();
    });

    it("as soon as it has sent some of it leaves nothing", async () => {
      const upload = uploads()[way];
      for (const some of [upload.body.subarray(0, -ending.length - 2), upload.body.subarray(0, upload.fileAt), upload.body.subarray(0, 1)]) {
        const client = await beginUpload(site, upload);
        await client.send(some);
        await client.hangUp(how);
      }
      await expectNoTrace();
    });
  });

  it("before the answer leaves all of it or nothing", async () => {
    const upload = uploads()[way];
    for (let round = 0; round < 5; round += 1) {
      const client = await beginUpload(site, upload);
      await client.send(upload.body);
      await client.hangUp("abruptly");
    }
    await site.expectNothingHidden();
  });

  it("while it is found out who asks takes no place of others", async () => {
    const upload = uploads()[way];
    await site.gateway.prisma.$transaction(
      async (transaction) => {
        await transaction.$executeRaw`LOCK TABLE "User" IN ACCESS EXCLUSIVE MODE`;
        const clients = await Promise.all(Array.from({ length: 32 }, () => beginUpload(site, upload)));
        await Promise.all(clients.map((client) => client.send(upload.body.subarray(0, upload.fileAt + 10))));
        await Promise.all(clients.map((client) => client.hangUp("abruptly")));
        // Whoever answers this has heard of the others' end.
        for (let round = 0; round < 3; round += 1) await site.gateway.fetch("/healthz");
      },
      { timeout: 20_000 },
    );
    await expect.poll(async () => (await rest.addCamera(site, picture)).code).toBe("OK");
    await site.expectNothingHidden();
  });
});

describe("an upload that is refused is answered before its body was sent:", () => {
  const large = new Uint8Array(8 * 2 ** 20);
  const elsewhere = { facilityId: "00000000-0000-4000-8000-000000000000" };
  type Refused = [string, () => { upload: Upload; as: Sender; headers?: Record<string, string> }, object];
  const atOnce: Refused[] = [
    ["nobody's camera by REST", () => ({ upload: uploads(large)["a camera by REST"], as: "nobody" }), { status: 401, code: "UNAUTHENTICATED" }],
    ["nobody's picture by REST", () => ({ upload: uploads(large)["a user by REST"], as: "nobody" }), { status: 401, code: "UNAUTHENTICATED" }],
    ["nobody's camera by GraphQL", () => ({ upload: uploads(large)["a camera by GraphQL"], as: "nobody" }), { status: 401, code: "UNAUTHENTICATED" }],
    [
      "bad credentials by GraphQL",
      () => ({ upload: uploads(large)["a camera by GraphQL"], as: { authorization: "Bearer x" } }),
      { status: 401, code: "UNAUTHENTICATED" },
    ],
    [
      "a facility that is not there, by REST",
      () => ({ upload: uploadsOf({ ...site.ids, ...elsewhere }, large)["a camera by REST"], as: site.admin }),
      { status: 404, code: "NOT_FOUND" },
    ],
    [
      "a facility of another workspace, by REST",
      () => ({ upload: uploadsOf({ facilityId: foreignId }, large)["a camera by REST"], as: site.admin }),
      { status: 404, code: "NOT_FOUND" },
    ],
    [
      "a facility that is none, by REST",
      () => ({ upload: uploadsOf({ ...site.ids, facilityId: "x" }, large)["a camera by REST"], as: site.admin }),
      { status: 400, code: "BAD_REQUEST" },
    ],
    ["an API key's own picture, by REST", () => ({ upload: uploads(large)["a user by REST"], as: key }), { status: 403, code: "FORBIDDEN" }],
    [
      "a body of another type, by REST",
      () => ({ upload: uploads(large)["a camera by REST"], as: site.admin, headers: { "content-type": "image/jpeg" } }),
      { status: 415, code: "UNSUPPORTED_MEDIA_TYPE" },
    ],
    [
      "a body without a boundary, by REST",
      () => ({ upload: uploads(large)["a camera by REST"], as: site.admin, headers: { "content-type": "multipart/form-data" } }),
      { status: 400, code: "BAD_REQUEST" },
    ],
    [
      "a body that says it is too large, by REST",
      () => ({ upload: uploads(new Uint8Array(maximumBytes + 2 ** 20))["a camera by REST"], as: site.admin }),
      { status: 413, code: "PAYLOAD_TOO_LARGE" },
    ],
    [
      "a body that says it is too large, by GraphQL",
      () => ({ upload: uploads(new Uint8Array(maximumBytes + 2 ** 20))["a camera by GraphQL"], as: site.admin }),
      { status: 413, code: "PAYLOAD_TOO_LARGE" },
    ],
    [
      "a method that the path does not take",
      () => {
        const { head, ...upload } = uploads(large)["a user by REST"];
        return { upload: { ...upload, head: { ...head, method: "POST" } }, as: site.admin };
      },
      { status: 405, code: "METHOD_NOT_ALLOWED" },
    ],
    [
      "a path that is none",
      () => {
        const { head, ...upload } = uploads(large)["a user by REST"];
        return { upload: { ...upload, head: { ...head, path: "/user/pictures" } }, as: site.admin };
      },
      { status: 404, code: "NOT_FOUND" },
    ],
  ];
  const beforeTheFile: Refused[] = [
    [
      "a facility that is not there, by GraphQL",
      () => ({ upload: uploadsOf({ ...site.ids, ...elsewhere }, large)["a camera by GraphQL"], as: site.admin }),
      { status: 200, code: "NOT_FOUND" },
    ],
    [
      "a facility of another workspace, by GraphQL",
      () => ({ upload: uploadsOf({ facilityId: foreignId }, large)["a camera by GraphQL"], as: site.admin }),
      { status: 200, code: "NOT_FOUND" },
    ],
    ["an API key's own picture, by GraphQL", () => ({ upload: uploads(large)["a user by GraphQL"], as: key }), { status: 200, code: "FORBIDDEN" }],
    [
      "an operation without a preflight, by GraphQL",
      () => ({ upload: uploads(large)["a user by GraphQL"], as: site.admin, headers: { "apollo-require-preflight": "" } }),
      { status: 400, code: "BAD_REQUEST" },
    ],
    [
      "a name that is blank, by GraphQL",
      () => ({ upload: uploadsOf({ ...site.ids, name: " " }, large)["a camera by GraphQL"], as: site.admin }),
      { status: 400, code: "BAD_REQUEST" },
    ],
  ];
  const refused = [...atOnce, ...beforeTheFile].map(
    ([what, make, expected]) => [what, make, expected, beforeTheFile.some(([name]) => name === what)] as const,
  );

  it.each(refused)("%s", async (_what, make, expected, afterTexts) => {
    const { upload, as, headers } = make();
    const client = await beginUpload(site, upload, { as, headers });
    const sent = upload.fileAt + 100;
    if (afterTexts) await client.send(upload.body.subarray(0, sent));
    const answer = await client.answer();
    expect(await outcomeOf(answer as WireAnswer)).toMatchObject(expected);
    // The connection is good for another request once the rest was sent, or is closed.
    const isOpen = await client.send(upload.body.subarray(afterTexts ? sent : 0));
    if (isOpen) await client.begin({ method: "GET", path: "/healthz", headers: {} });
    expect([200, undefined]).toContain((await client.answer())?.status);
    await expectNoTrace();
  });

  it.each(refused)("%s, also to a client that reads nothing before it has sent everything", async (_what, make, expected) => {
    const { upload, as, headers } = make();
    const client = await beginUpload(site, upload, { as, headers });
    client.lookAway();
    await client.send(upload.body);
    const answer = await client.answer();
    expect(answer, "an answer").toBeDefined();
    expect(await outcomeOf(answer as WireAnswer)).toMatchObject(expected);
  });

  it.each(refused.filter(([what, , , afterTexts]) => !afterTexts && !/another type|boundary/.test(what)))(
    "%s, also to a client that asks first whether it may come",
    async (_what, make, expected) => {
      const { upload, as, headers } = make();
      const client = await beginUpload(site, upload, { as, headers: { ...headers, expect: "100-continue" } });
      expect(await outcomeOf((await client.answer()) as WireAnswer)).toMatchObject(expected);
    },
  );

  it("of a caller who asks too often", async () => {
    const strict = await UploadSite.forTest({ environment: { RATE_LIMIT: "on", RATE_LIMIT_CALLER: "1" } });
    expect((await strict.gateway.fetch("/cameras", { as: strict.admin })).status).toBe(200);
    for (const way of ways) {
      const client = await beginUpload(strict, uploadsOf(strict.ids, large)[way]);
      expect(await outcomeOf((await client.answer()) as WireAnswer)).toMatchObject({ status: 429, code: "RATE_LIMITED" });
      await client.hangUp("politely");
    }
  });

  it("what is wrong in the middle of a body, too, however much of it follows", async () => {
    const { head, body, fileAt, fileLength } = uploads(large)["a camera by REST"];
    const again = body.subarray(0, fileAt + 100);
    const upload = { head, fileAt, fileLength, body: Buffer.concat([again, Buffer.from("\r\n"), body]) };
    for (const looks of [true, false]) {
      const client = await beginUpload(site, upload, { headers: { "content-length": upload.body.length } });
      if (!looks) client.lookAway();
      const isOpen = await client.send(upload.body);
      expect(await client.answer()).toMatchObject({ status: 400, text: expect.stringContaining("must be given once") });
      if (isOpen) await client.begin({ method: "GET", path: "/healthz", headers: {} });
      expect([200, undefined]).toContain((await client.answer())?.status);
    }
    await expectNoTrace();
  });

  it("but a body without an end is not listened to for ever", async () => {
    const { head, body, fileAt } = uploads()["a camera by REST"];
    const { "content-length": _length, ...headers } = head.headers;
    const endless = { head: { ...head, headers: { ...headers, "transfer-encoding": "chunked" } }, body, fileAt, fileLength: 0 };
    const client = await beginUpload(site, endless);
    const start = body.subarray(0, fileAt);
    await client.send(Buffer.concat([Buffer.from(`${start.length.toString(16)}\r\n`), start, Buffer.from("\r\n")]));
    const piece = Buffer.concat([Buffer.from("100000\r\n"), Buffer.alloc(2 ** 20), Buffer.from("\r\n")]);
    let sent = 0;
    while (sent < 100 && (await client.send(piece))) sent += 1;
    expect(sent).toBeLessThan(50);
    await expectNoTrace();
  });
});

describe("a client that asks first whether its upload may come", () => {
  it.each(ways)("is told so, and then gets its answer: %s", async (way) => {
    const upload = uploads()[way];
    const client = await beginUpload(site, upload, { headers: { expect: "100-continue" } });
    expect(await client.answer()).toMatchObject({ status: 100 });
    await client.send(upload.body);
    expect(await outcomeOf((await client.answer()) as WireAnswer)).toMatchObject({ status: 200, code: "OK" });
  });
});

describe("of more than 32 uploads at once", () => {
  it("the others are told to come again, until there is room", async () => {
    const held = [];
    for (let index = 0; index < 32; index += 1) {
      const upload = uploads()[ways[index % ways.length] as (typeof ways)[number]];
      held.push({ upload, client: await sendHalf(site, upload) });
    }
    for (const way of ways) {
      const upload = uploads()[way];
      const client = await beginUpload(site, upload, { headers: { expect: "100-continue" } });
      const answer = await client.answer();
      expect(await outcomeOf(answer as WireAnswer)).toMatchObject({ status: 503, code: "UNAVAILABLE" });
      expect(Number(answer?.headers["retry-after"])).toBeGreaterThan(0);
    }
    // Whatever is no upload has room all the time.
    expect((await site.gateway.fetch("/cameras", { as: site.admin })).status).toBe(200);
    await Promise.all(held.slice(0, 16).map(({ client }) => client.hangUp("abruptly")));
    const answers = await Promise.all(
      held.slice(16).map(async ({ client, upload }) => {
        await client.send(secondHalf(upload));
        return client.answer();
      }),
    );
    expect(answers.map((answer) => answer?.status)).toEqual(Array(16).fill(200));
    for (const [, door] of doors) await expect.poll(async () => (await door.addCamera(site, picture)).code).toBe("OK");
    await site.expectNothingHidden();
  });

  it("none is one that ended, however it ended", async () => {
    const noPicture = Buffer.from("no picture");
    for (let round = 0; round < 33; round += 1) {
      await (await sendHalf(site, uploads()[ways[round % ways.length] as (typeof ways)[number]])).hangUp("politely");
      expect((await rest.addCamera(site, noPicture)).code).toBe("UNSUPPORTED_MEDIA_TYPE");
      expect((await graphql.addCamera(site, noPicture)).code).toBe("UNSUPPORTED_MEDIA_TYPE");
    }
    await expectNoTrace();
  });
});
