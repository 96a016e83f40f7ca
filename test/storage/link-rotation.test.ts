// Runs once: no database can influence what is tested here.
import { randomUUID } from "node:crypto";
import { createAdmin, createAlerts, createPlace } from "../support/factories.js";
import type { Gateway } from "../support/harness.js";
import { TestSite } from "../support/test-site.js";

const [former, next] = ["former-link-secret-0123456789abcdef", "next-link-secret-0123456789abcdefgh"];

it("links and tickets of either secret open while LINK_SECRET holds two, and those signed meanwhile open with the first alone", async () => {
  const site = await TestSite.forTest();
  const key = await site.storePicture(`alerts/${randomUUID()}.jpg`);
  let as: { user: string } | undefined;
  /**
   * The links that a gateway with these secrets signs, and its answers to other links.
   */
  const withSecrets = async (LINK_SECRET: string, links: readonly string[] = []) => {
    const gateway = await site.start({ environment: { LINK_SECRET } });
    try {
      as ??= await newAdministrator(gateway, key);
      const statuses = await Promise.all(
        links.map(async (link) => (await gateway.fetch(pathOf(link))).status),
      );
      const query = `{ workspace { alerts { nodes { url } } } exportAlerts(filter: { start: "2026-01-01T00:00:00Z", end: "2027-01-01T00:00:00Z" }) { url } }`;
      const shown = await gateway.data<{
        workspace: { alerts: { nodes: { url: string }[] } };
        exportAlerts: { url: string };
      }>(query, { as });
      return { statuses, links: [shown.workspace.alerts.nodes[0]?.url as string, shown.exportAlerts.url] };
    } finally {
      await gateway.close();
    }
  };
  const before = await withSecrets(former);
  const during = await withSecrets(`${next},${former}`, before.links);
  expect(during.statuses).toEqual([200, 200]);
  const after = await withSecrets(next, [...during.links, ...before.links]);
  expect(after.statuses).toEqual([200, 200, 404, 404]);
});

const pathOf = (link: string) => new URL(link).pathname + new URL(link).search;

async function newAdministrator({ prisma }: Gateway, url: string): Promise<{ user: string }> {
  const { workspaceId, facilityId, cameraId } = await createPlace(prisma);
  await createAlerts(prisma, [{ workspaceId, facilityId, cameraId, url }]);
  const { authId } = await createAdmin(prisma, workspaceId);
  return { user: authId };
}
