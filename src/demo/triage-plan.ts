import type { Alert, User } from "../generated/prisma/client.js";
import type { FleetPlan } from "./fleet-plan.js";
import { SeededRandom } from "./seeded-random.js";

const minute = 60_000;
const acknowledgedDays = 14;

const remarks = [
  "A delivery, announced beforehand.",
  "Talked to the shift lead: the walkway is closed until the rack is repaired.",
  "Only a reflection on the wet floor.",
  "Seen on site, nobody was hurt.",
  "The second time this week. The fence needs a sign.",
];

/**
 * Plans two weeks of the demo administrator's work on alerts: most acknowledged, and a
 * few commented on.
 */
export function planTriage(fleet: FleetPlan): void {
  // Use a separate generator, so that the rest of the fleet does not depend on this plan.
  const random = new SeededRandom(2027);
  const admin = (fleet.rows("User") as User[]).find(({ authId }) => authId === "demo|admin") as User;
  const since = fleet.now.getTime() - acknowledgedDays * 24 * 60 * minute;
  for (const alert of fleet.rows("Alert") as Alert[]) {
    if (alert.workspaceId !== admin.workspaceId || alert.createdAt.getTime() < since) continue;
    const acknowledgedAt = new Date(alert.createdAt.getTime() + Math.round(random.between(2, 300) * minute));
    if (acknowledgedAt > fleet.now || random.chance(0.2)) continue;
    Object.assign(alert, { acknowledgedById: admin.id, acknowledgedAt });
    if (random.chance(0.02))
      planComment(fleet, alert, admin, { text: random.pick(remarks), createdAt: acknowledgedAt });
  }
}

function planComment(
  fleet: FleetPlan,
  alert: Alert,
  author: User,
  comment: { text: string; createdAt: Date },
): void {
  const { id: alertId, workspaceId, facilityId, cameraId } = alert;
  const authorName = `${author.firstName} ${author.lastName}`;
  const place = { workspaceId, facilityId, cameraId, alertId };
  fleet.add("AlertComment", {
    id: fleet.id(comment.createdAt),
    ...place,
    authorId: author.id,
    authorName,
    ...comment,
  });
}
