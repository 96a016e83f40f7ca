import type { PrismaClient } from "../generated/prisma/client.js";
import { demoRules } from "./fleet-definition.js";

/**
 * Lets the gateway evaluate the rules of a demo that was seeded before any gateway could,
 * since nothing else raises their alerts. Changes nothing once a rule is evaluated or has
 * fired: somebody may have turned rules off.
 */
export async function evaluateEarlierRules(prisma: PrismaClient, workspaceId: string): Promise<void> {
  const known = { OR: [{ evaluated: true }, { lastFiredAt: { not: null } }] };
  if ((await prisma.alertRule.count({ where: { workspaceId, ...known } })) > 0) return;
  const name = { in: demoRules.map((rule) => rule.name) };
  await prisma.alertRule.updateMany({ where: { workspaceId, name }, data: { evaluated: true } });
}
