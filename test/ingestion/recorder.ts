import { randomUUID } from "node:crypto";
import { type CompleteFacility, createCompleteFacility } from "../support/complete-facility.js";
import { createAdmin, createWorkspace, type TestUser } from "../support/factories.js";
import { type Gateway, refusal, run } from "../support/harness.js";

/** An alert as sent, valid or not. */
export type AlertInput = Record<string, unknown> & { id: string };

/** The result of recording alerts. */
export interface RecordResult {
  recorded: number;
  alreadyRecorded: number;
}

export const recordAlerts =
  "mutation ($input: [RecordAlertInput!]!) { recordAlerts(input: $input) { recorded alreadyRecorded } }";

/** A workspace with a site and a user with every permission. */
export class Recorder {
  private constructor(
    readonly gateway: Gateway,
    readonly workspaceId: string,
    readonly admin: TestUser,
    readonly site: CompleteFacility,
  ) {}

  static async open(gateway: Gateway): Promise<Recorder> {
    const workspaceId = await createWorkspace(gateway.prisma);
    const admin = await createAdmin(gateway.prisma, workspaceId);
    return new Recorder(gateway, workspaceId, admin, await newSite(gateway, workspaceId));
  }

  newSite(): Promise<CompleteFacility> {
    return newSite(this.gateway, this.workspaceId);
  }

  /** An alert of the site's camera with only the required fields. */
  alert(values: Record<string, unknown> = {}): AlertInput {
    return {
      id: randomUUID(),
      cameraId: this.site.cameraId,
      name: "NO_HELMET",
      createdAt: "2025-11-20T09:30:00.000Z",
      ...values,
    };
  }

  record(input: AlertInput[], as = this.admin): Promise<RecordResult> {
    return run<{ recordAlerts: RecordResult }>(this.gateway, as, [recordAlerts, { input }]).then(
      (data) => data.recordAlerts,
    );
  }

  refused(input: unknown, as = this.admin): ReturnType<typeof refusal> {
    return refusal(this.gateway, as, [recordAlerts, { input }]);
  }

  stored(id: string) {
    return this.gateway.prisma.alert.findUnique({
      where: { workspaceId_id: { workspaceId: this.workspaceId, id } },
    });
  }

  count(): Promise<number> {
    return this.gateway.prisma.alert.count({ where: { workspaceId: this.workspaceId } });
  }
}

function newSite(gateway: Gateway, workspaceId: string): Promise<CompleteFacility> {
  return createCompleteFacility(gateway.prisma, {
    workspaceId,
    name: "Site",
    alerts: 0,
    newest: "2026-11-20T12:00:00Z",
  });
}

/** The stored counts that differ from the alerts. */
export function countDifferences(gateway: Gateway): Promise<unknown[]> {
  return gateway.prisma.$queryRaw`SELECT * FROM "alertCountDifferences"()`;
}
