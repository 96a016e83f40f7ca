import { randomUUID } from "node:crypto";
import { permissions } from "../../src/access/permissions.js";
import { createSite, type Site } from "../access/fleet.js";
import { createWorkspace } from "../support/factories.js";
import type { Gateway } from "../support/harness.js";
import { newWriter, refusal, run, type Writer } from "../writes/writer.js";

/** Alerts as they are sent; whatever a test wants to send. */
export type GivenAlert = Record<string, unknown> & { id: string };

/** What recording answers. */
export interface Recorded {
  recorded: number;
  alreadyRecorded: number;
}

export const recordAlerts = "mutation ($input: [RecordAlertInput!]!) { recordAlerts(input: $input) { recorded alreadyRecorded } }";

/** A workspace with a site, and who may do everything there. */
export class Recorder {
  private constructor(
    readonly gateway: Gateway,
    readonly workspaceId: string,
    readonly admin: Writer,
    readonly site: Site,
  ) {}

  static async open(gateway: Gateway): Promise<Recorder> {
    const workspaceId = await createWorkspace(gateway.prisma, {});
    const admin = await newWriter(gateway.prisma, { workspaceId, roles: permissions });
    return new Recorder(gateway, workspaceId, admin, await newSite(gateway, workspaceId));
  }

  newSite(): Promise<Site> {
    return newSite(this.gateway, this.workspaceId);
  }

  /** An alert of the site's camera with no more than it needs. */
  alert(values: Record<string, unknown> = {}): GivenAlert {
    return { id: randomUUID(), cameraId: this.site.cameraId, name: "NO_HELMET", createdAt: "2025-11-20T09:30:00.000Z", ...values };
  }

  record(input: GivenAlert[], as = this.admin): Promise<Recorded> {
    return run<{ recordAlerts: Recorded }>(this.gateway, as, [recordAlerts, { input }]).then((data) => data.recordAlerts);
  }

  refused(input: unknown, as = this.admin): ReturnType<typeof refusal> {
    return refusal(this.gateway, as, [recordAlerts, { input }]);
  }

  stored(id: string) {
    return this.gateway.prisma.alert.findUnique({ where: { workspaceId_id: { workspaceId: this.workspaceId, id } } });
  }

  count(): Promise<number> {
    return this.gateway.prisma.alert.count({ where: { workspaceId: this.workspaceId } });
  }
}

function newSite(gateway: Gateway, workspaceId: string): Promise<Site> {
  return createSite(gateway.prisma, { workspaceId, name: "Site", alerts: 0, newest: "2026-11-20T12:00:00Z" });
}

/** The kept counts that are not what the alerts say. */
export function countDifferences(gateway: Gateway): Promise<unknown[]> {
  return gateway.prisma.$queryRaw`SELECT * FROM "alertCountDifferences"()`;
}
