import { randomUUID } from "node:crypto";
import sharp from "sharp";
import { openStore } from "../support/object-store.js";
import { ownDirectory } from "../support/temporary-directory.js";
import { browseOwnGateway, linkOf, pictureWidth, waitForText } from "./console-page.js";
import { newSite } from "./own-console.js";

const elsewhere = "https://pictures.example/camera.jpg";

const bucket = await openStore("s3", await ownDirectory());
let site: Awaited<ReturnType<typeof newSite>>;
const own = browseOwnGateway({ environment: bucket.settings });
beforeAll(async () => {
  site = await newSite(own);
  const url = `pictures/${randomUUID()}.jpg`;
  await bucket.store.put(
    url,
    await sharp({ create: { width: 64, height: 36, channels: 3, background: "#5a646e" } })
      .jpeg()
      .toBuffer(),
  );
  await site.raise({ url }, { url: elsewhere });
});
afterAll(() => bucket.close());

test("a picture in the bucket is shown, and one elsewhere is a link that loads nothing", async () => {
  const { page, problems } = await site.open("/?view=alerts");
  const tiles = page.getByRole("list", { name: "Alerts" }).getByRole("article");
  const width = () => pictureWidth(tiles.first().locator("img"));
  await expect.poll(width).toBe(64);
  await waitForText(tiles.nth(1), "Picture elsewhere");
  await tiles.nth(1).getByRole("link").click();
  expect(await linkOf(page, "Open picture").getAttribute("href")).toBe(elsewhere);
  expect(new Set(problems.crossOriginRequests.map((url) => new URL(url).origin))).toEqual(
    new Set([bucket.server?.url]),
  );
  expect(problems.consoleErrors).toEqual([]);
});

test("each page has its own policy: only the gateway's scripts run, and only the console loads pictures and clips from the bucket", async () => {
  const policyOf = async (address: string) => {
    const { headers } = await own.gateway.fetch(address, { headers: { accept: "text/html" } });
    const directives = (headers.get("content-security-policy") as string)
      .split("; ")
      .map((directive) => directive.split(" "));
    return Object.fromEntries(directives.map(([name, ...sources]) => [name, sources.join(" ")]));
  };
  const [console, playground, docs] = [
    await policyOf("/"),
    await policyOf("/graphql"),
    await policyOf("/docs"),
  ];
  for (const policy of [console, playground, docs])
    expect(policy).toMatchObject({
      "default-src": "'none'",
      "script-src": "'self'",
      "base-uri": "'none'",
      "frame-ancestors": "'none'",
    });
  for (const kind of ["img-src", "media-src"]) expect(console[kind]).toBe(`'self' ${bucket.server?.url}`);
  expect(playground["img-src"]).toBe("'self' data:");
  expect(docs["img-src"]).toBe("'self'");
});
