// Runs once: no database can influence what is tested here.

import { randomUUID } from "node:crypto";
import { createServer, type RequestListener, type Server } from "node:http";
import sharp from "sharp";
import { permissions } from "../../src/engine/access/permissions.js";
import {
  createAdmin,
  createAlerts,
  createPlace,
  createTestUser,
  createWorkspace,
  type TestUser,
} from "../support/factories.js";
import type { Gateway } from "../support/harness.js";
import { close, listen, portOf } from "../support/listening.js";
import { TestSite } from "../support/test-site.js";

const query = "query ($id: UUID!) { alert(id: $id) { url proxiedUrl annotatedUrl } }";

/** A server of pictures, with the requests that it got. */
class PictureServer {
  readonly requested: string[] = [];
  readonly #answers = new Map<string, RequestListener>();
  readonly #server: Server = createServer((request, response) => {
    this.requested.push(request.url as string);
    this.#answers.get(request.url as string)?.(request, response);
  });

  async open(): Promise<void> {
    await listen(this.#server);
  }

  /** The URL of an answer. */
  url(answer: RequestListener, host = "127.0.0.1"): string {
    const path = `/${randomUUID()}.jpg`;
    this.#answers.set(path, answer);
    return `http://${host}:${portOf(this.#server)}${path}`;
  }

  close(): Promise<void> {
    return close(this.#server);
  }
}

const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: "#5a646e" }, limitInputPixels: false });

const pictures = new PictureServer();
let site: TestSite;
let gateway: Gateway;
let place: { workspaceId: string; facilityId: string; cameraId: string };
let user: TestUser;
let picture: Buffer;

beforeAll(async () => {
  await pictures.open();
  site = await TestSite.open();
  const environment = { PICTURE_PROXY_NETWORKS: "127.0.0.0/8", MAX_UPLOAD_BYTES: "1000000" };
  gateway = await site.start({ environment });
  const { prisma } = gateway;
  place = await createPlace(prisma);
  const { workspaceId } = place;
  user = await createAdmin(prisma, workspaceId);
  picture = await plain(2000, 1000).jpeg().toBuffer();
}, 120_000);

afterAll(async () => {
  await gateway?.close();
  await site?.remove();
  await pictures.close();
});

const serve =
  (content: Buffer, headers: Record<string, string> = {}): RequestListener =>
  (_, response) => {
    response.writeHead(200, headers).end(content);
  };

async function newAlert(url: string | null): Promise<string> {
  const [id = ""] = await createAlerts(gateway.prisma, [{ ...place, url }]);
  return id;
}

interface Links {
  url: string | null;
  proxiedUrl: string | null;
  annotatedUrl: string | null;
}

const linksOf = async (id: string, as = user.as) =>
  (await gateway.data<{ alert: Links | null }>(query, { as, variables: { id } })).alert;

/** Opens the picture of an alert at a URL, through the gateway. */
async function open(url: string): Promise<Response> {
  const links = await linksOf(await newAlert(url));
  return gateway.fetch(links?.proxiedUrl as string);
}

const failureOf = async (response: Response) => ({
  status: response.status,
  code: (await response.json()).code,
});
const notFound = { status: 404, code: "NOT_FOUND" };

/** Switches to another protocol, although nobody asked for one. */
const upgrade: RequestListener = ({ socket }) =>
  void socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n");

describe("a picture that a detector keeps elsewhere", () => {
  it("is shown by a signed link, as a smaller JPEG without what it says of itself", async () => {
    const exif = { IFD0: { Artist: "Grace Hopper" } };
    const content = await plain(2000, 1000).withExif(exif).png().toBuffer();
    const url = pictures.url(serve(content, { "content-type": "text/html" }));
    const id = await newAlert(url);
    const links = await linksOf(id);
    // The detector's own link stays as it is.
    expect(links).toMatchObject({ url, annotatedUrl: null });
    const response = await gateway.fetch(links?.proxiedUrl as string);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
    expect(response.headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    const { format, width, height, exif: kept } = await sharp(await response.arrayBuffer()).metadata();
    expect([format, width, height, kept]).toEqual(["jpeg", 1600, 800, undefined]);
  });

  it("is fetched once, for those who open it at the same time and afterwards", async () => {
    const url = pictures.url(serve(picture));
    const link = (await linksOf(await newAlert(url)))?.proxiedUrl as string;
    const opened = await Promise.all([1, 2, 3].map(() => gateway.fetch(link)));
    const later = await gateway.fetch(link);
    expect([...opened, later].map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await later.arrayBuffer()).toEqual(await opened[0]?.arrayBuffer());
    expect(pictures.requested.filter((path) => url.endsWith(path))).toHaveLength(1);
  });

  it("is gone with its alert", async () => {
    const id = await newAlert(pictures.url(serve(picture)));
    const link = (await linksOf(id))?.proxiedUrl as string;
    expect((await gateway.fetch(link)).status).toBe(200);
    const key = `proxied/${place.workspaceId}/${id}.jpg`;
    expect(site.isStored(key)).toBe(true);
    const response = await gateway.fetch(`/alerts/${id}`, { method: "DELETE", as: user.as });
    expect(response.status, await response.text()).toBe(200);
    expect(await failureOf(await gateway.fetch(link))).toEqual(notFound);
    await gateway.app.idle();
    expect(site.isStored(key)).toBe(false);
  });

  it("is not found without a valid signature, by the link of another alert, or by who may not see it", async () => {
    const [own, other] = [
      await newAlert(pictures.url(serve(picture))),
      await newAlert(pictures.url(serve(picture))),
    ];
    const link = (await linksOf(own))?.proxiedUrl as string;
    expect((await gateway.fetch(link.replace(own, other))).status).toBe(404);
    expect((await gateway.fetch(link.replace(/signature=.*/, "signature=x"))).status).toBe(404);
    const otherUser = await createTestUser(gateway.prisma, {
      workspaceId: await createWorkspace(gateway.prisma),
      roles: permissions,
    });
    expect(await linksOf(own, otherUser.as)).toBeNull();
  });

  it.each([
    ["in the store", "pictures/1.jpg"],
    ["at a public address that is not allowed", "https://203.0.113.9/1.jpg"],
    ["at the address of a cloud's secrets", "http://169.254.169.254/latest/meta-data"],
    ["at a forbidden address in another spelling", "http://[::ffff:10.0.0.1]/1.jpg"],
    ["nowhere", null],
  ])("has no link if it is %s", async (_where, url) => {
    expect(await linksOf(await newAlert(url))).toEqual({
      url: url?.startsWith("pictures/") ? expect.stringContaining("/files/pictures/1.jpg") : url,
      proxiedUrl: null,
      annotatedUrl: null,
    });
  });

  it.each<[string, () => Promise<string> | string, object]>([
    [
      "ends in the middle",
      () => pictures.url(serve(picture.subarray(0, picture.length / 2))),
      { status: 415, code: "UNSUPPORTED_MEDIA_TYPE" },
    ],
    [
      "has 200 megapixels",
      async () => pictures.url(serve(await plain(20_000, 10_000).png().toBuffer())),
      { status: 413, code: "PAYLOAD_TOO_LARGE" },
    ],
    [
      "never ends",
      () =>
        pictures.url((_, response) => {
          const more = () => {
            while (!response.destroyed && response.write(Buffer.alloc(65_536, 0xff)));
          };
          response.on("drain", more);
          more();
        }),
      { status: 413, code: "PAYLOAD_TOO_LARGE" },
    ],
    [
      "is a redirect to a picture",
      () => {
        const location = pictures.url(serve(picture));
        return pictures.url((_, response) => void response.writeHead(302, { location }).end());
      },
      notFound,
    ],
    ["is not there", () => pictures.url((_, response) => void response.writeHead(404).end()), notFound],
    [
      "is on a server that hangs up",
      () => pictures.url((request) => void request.socket.destroy()),
      { status: 503, code: "UNAVAILABLE" },
    ],
    ["is on a server that switches protocols", () => pictures.url(upgrade), notFound],
  ])("is refused if it %s", async (_what, urlOf, failure) => {
    expect(await failureOf(await open(await urlOf()))).toEqual(failure);
  });

  it("is not fetched unless the settings say from where, nor any longer than they do", async () => {
    const id = await newAlert(pictures.url(serve(picture)));
    const link = (await linksOf(id))?.proxiedUrl as string;
    expect((await gateway.fetch(link)).status).toBe(200);
    await gateway.close();
    gateway = await site.start();
    expect((await linksOf(id))?.proxiedUrl).toBeNull();
    const { pathname, search } = new URL(link);
    expect((await gateway.fetch(pathname + search)).status).toBe(404);
  });
});
