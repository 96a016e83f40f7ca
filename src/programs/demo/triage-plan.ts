import type { Alert, User } from "../../generated/prisma/client.js";
import { defined } from "../../platform/defined.js";
import { later } from "../../platform/time.js";
import type { FleetPlan } from "./fleet-plan.js";
import { SeededRandom } from "./seeded-random.js";

const minute = 60_000;
const day = 24 * 60 * minute;

const remarks = [
  "A delivery, announced beforehand.",
  "Talked to the shift lead: the walkway is closed until the rack is repaired.",
  "Only a reflection on the wet floor.",
  "Seen on site, nobody was hurt.",
  "The second time this week. The fence needs a sign.",
];

/** Plans the work of two people: the officer acknowledges most alerts, the director grave ones; some are overlooked. */
export function planTriage(fleet: FleetPlan): void {
  // Use a separate generator, so that the rest of the fleet does not depend on this plan.
  const random = new SeededRandom(2027);
  const users = fleet.rows("User") as User[];
  const director = defined(users.find(({ authId }) => authId === "demo|admin"));
  const officer = defined(users.find(({ authId }) => authId === "demo|officer"));
  for (const alert of fleet.rows("Alert") as Alert[]) {
    if (alert.workspaceId !== director.workspaceId) continue;
    const person = alert.severity === "HIGH" && random.chance(0.6) ? director : officer;
    const acknowledgedAt = later(alert.createdAt, Math.round(random.between(2, 300) * minute));
    if (acknowledgedAt > fleet.now) alert.falsePositive = false;
    else if (alert.falsePositive)
      Object.assign(alert, { falsePositiveChangedById: person.id, falsePositiveChangedAt: acknowledgedAt });
    const age = fleet.now.getTime() - alert.createdAt.getTime();
    if (acknowledgedAt > fleet.now || random.chance(overlooked(age))) continue;
    Object.assign(alert, { acknowledgedById: person.id, acknowledgedAt });
    if (random.chance(0.03))
      planComment(fleet, alert, person, { text: random.pick(remarks), createdAt: acknowledgedAt });
  }
}

/** The share of alerts of an age, in milliseconds, that nobody has acknowledged. */
const overlooked = (age: number): number => (age < day ? 0.4 : age < 7 * day ? 0.04 : 0.002);

function planComment(
  fleet: FleetPlan,
  alert: Alert,
  author: User,
  comment: { text: string; createdAt: Date },
): void {
  const { id: alertId, workspaceId, facilityId, cameraId } = alert;
  const authorName = `${author.firstName} ${author.lastName}`;
  const keys = { workspaceId, facilityId, cameraId, alertId };
  fleet.add("AlertComment", {
    id: fleet.id(comment.createdAt),
    ...keys,
    authorId: author.id,
    authorName,
    ...comment,
  });
}
