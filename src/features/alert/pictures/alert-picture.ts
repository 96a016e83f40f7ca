import type { GatewayServices } from "../../../engine/operation/gateway-services.js";
import { isCached } from "../../../engine/storage/cached-objects.js";
import type {
  Derivation,
  DerivationClient,
  DerivedPicture,
  DerivedPictures,
} from "../../../engine/storage/derived-pictures.js";
import { type Alert, Prisma } from "../../../generated/prisma/client.js";
import { uuidShape } from "../../../platform/ids/uuid.js";
import { countedRead } from "../../../platform/telemetry/counted-client.js";

export interface PicturedAlert {
  workspaceId: string;
  alertId: string;
}

export class AlertPictureKeys {
  readonly folder: string;
  readonly #shape: RegExp;

  constructor(folder: string) {
    this.folder = folder;
    this.#shape = new RegExp(`^${folder}/(${uuidShape})/(${uuidShape})\\.jpg$`);
  }

  keyOf({ workspaceId, alertId }: PicturedAlert): string {
    return `${this.folder}/${workspaceId}/${alertId}.jpg`;
  }

  alertOf(key: string): PicturedAlert | undefined {
    const [, workspaceId, alertId] = this.#shape.exec(key) ?? [];
    return workspaceId && alertId ? { workspaceId, alertId } : undefined;
  }
}

export type DrawingServices = Pick<GatewayServices, "database" | "statements" | "derivedPictures" | "now">;

/** The cancellation of the wait for a picture, and the counter of its statements. */
export type DrawingOrigin = DerivationClient["origin"];

interface AlertPictureKind<Row> {
  keys: AlertPictureKeys;
  pictures: DerivedPictures;
  columns: Prisma.Sql;
  condition: Prisma.Sql;
  /** Says how to make the picture; undefined if there is none. */
  derive: (alert: Row) => Pick<Derivation, "source" | "drawing"> | undefined;
}

/** Opens a picture made of an alert's own, and keeps it for a while. Undefined if the alert has none, or is gone. */
export function openAlertPicture<Row extends Pick<Alert, "url">>(
  { database, statements, now }: Omit<DrawingServices, "derivedPictures">,
  { keys, pictures, columns, condition, derive }: AlertPictureKind<Row>,
  alert: PicturedAlert,
  origin: DrawingOrigin,
): Promise<DerivedPicture | undefined> {
  const { workspaceId, alertId } = alert;
  const object = { workspaceId, key: keys.keyOf(alert) };
  // Anyone with a link may open the picture: all users of a workspace's links count as one caller.
  const client = { caller: { id: keys.folder, workspaceId }, origin };
  return pictures.get(client, object, async ({ caller, origin }) => {
    const read = countedRead(
      (statement: Prisma.Sql) =>
        statements.run(caller, () => database.read<Row & { isCached: boolean }>(statement), origin),
      origin.logEntry,
    );
    const [row] = await read(Prisma.sql`
      SELECT ${columns}, ${isCached(object, now())} AS "isCached"
      FROM "Alert" AS item
      LEFT JOIN "Camera" AS camera ON camera."workspaceId" = item."workspaceId" AND camera."id" = item."cameraId"
      WHERE item."workspaceId" = ${workspaceId}::uuid AND item."id" = ${alertId}::uuid AND camera."removedAt" IS NULL AND ${condition}`);
    const derivation = row && derive(row);
    if (!derivation) return undefined;
    if (row.isCached) return "in the store";
    const isWanted: Derivation["isWanted"] = async (transaction) => {
      const locked = await transaction.$queryRaw<object[]>(Prisma.sql`
        SELECT "id" FROM "Alert" WHERE "workspaceId" = ${workspaceId}::uuid AND "id" = ${alertId}::uuid AND "url" = ${row.url} FOR KEY SHARE`);
      return locked.length > 0;
    };
    return { ...derivation, isWanted };
  });
}
