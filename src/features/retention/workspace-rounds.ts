import type { StepOutcome } from "../../engine/leases/worker.js";
import type { PrismaClient } from "../../generated/prisma/client.js";

const intervalMs = 15 * 60_000;
/** The time until the first round, in milliseconds: what expired while no gateway ran is purged even in a short run. */
const firstRoundMs = 30_000;

/** Purges a batch of a workspace's expired rows. Returns whether there may be more. */
export type PurgeBatch = (workspaceId: string, now: Date) => Promise<boolean>;

/**
 * The step of a worker that checks every workspace for expired rows now and then, by an index of the
 * workspace. This saves maintaining an index over all workspaces for each row. Workspaces with more than one
 * batch take turns until nothing is left.
 */
export function workspaceRounds(
  prisma: PrismaClient,
  now: () => Date,
  purgeBatch: PurgeBatch,
): () => Promise<StepOutcome> {
  let nextRoundAt = now().getTime() + firstRoundMs;
  /** The last workspace checked in this round; undefined after the last one. */
  let seenUpTo: string | undefined = "";
  const unfinished: string[] = [];
  const nextWorkspace = async (): Promise<string | undefined> => {
    if (seenUpTo !== undefined) {
      const next = await prisma.workspace.findFirst({
        ...(seenUpTo !== "" && { where: { id: { gt: seenUpTo } } }),
        orderBy: { id: "asc" },
        select: { id: true },
      });
      seenUpTo = next?.id;
      if (next) return next.id;
    }
    return unfinished.shift();
  };
  return async () => {
    const at = now();
    const dueInMs = nextRoundAt - at.getTime();
    // No round is further ahead than that: the clock has been set back.
    if (dueInMs > 0 && dueInMs <= intervalMs) return { dueInMs };
    const workspaceId = await nextWorkspace();
    if (workspaceId === undefined) {
      seenUpTo = "";
      nextRoundAt = at.getTime() + intervalMs;
    } else if (await purgeBatch(workspaceId, at)) {
      unfinished.push(workspaceId);
    }
    return "more";
  };
}
