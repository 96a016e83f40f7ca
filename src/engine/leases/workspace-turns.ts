import { isUnavailable } from "../../platform/errors/database-errors.js";

const firstId = "00000000-0000-0000-0000-000000000000";
/** How many workspaces one call tries when other instances have claimed all their work. */
const maxTries = 100;
/** How long a call tries workspaces one by one because nobody can say which has work. The next call continues. */
const maxListedMs = 5_000;

/** Matches the ids of the following workspaces. */
export type FollowingWorkspaces = { gte: string } | { gt: string };

/** Lists the following workspaces in the order of their ids, with or without work. Returns none at the end. */
export type ListWorkspaces = (following: FollowingWorkspaces) => Promise<string[]>;

/**
 * Turns of the workspaces with due work, in the order of their ids, so that the backlog of one does not delay the
 * others. Each kind of work has its own turns.
 */
export class WorkspaceTurns {
  /** The workspace that had the last turn. */
  #last: string | undefined;
  readonly #list: ListWorkspaces;

  constructor(list: ListWorkspaces) {
    this.#list = list;
  }

  /**
   * Claims work of the next workspace that has any, or returns an empty list. `find` returns the first of the following
   * workspaces with due work. `claim` returns the work that it claimed there. If other instances have claimed all of
   * it, the next workspace has its turn.
   *
   * `find` asks all nodes of the database, so it fails while one is away. The call then tries each workspace, so that
   * those on other nodes have their turns. If it claims nothing, it throws the error of `find`.
   */
  async claim<Work>(
    find: (following: FollowingWorkspaces) => Promise<{ workspaceId: string } | null>,
    claim: (workspaceId: string) => Promise<Work[]>,
  ): Promise<Work[]> {
    const start = this.#last;
    let isSecondRound = start === undefined;
    /** The error of `find`, if it could not say who is next. */
    let failure: unknown;
    let failedAt = 0;
    let listed: string[] = [];
    const nextAmong = async (following: FollowingWorkspaces): Promise<string | undefined> => {
      if (failure === undefined) {
        try {
          return (await find(following))?.workspaceId;
        } catch (error) {
          if (!isUnavailable(error)) throw error;
          failure = error;
          failedAt = performance.now();
        }
      }
      if (listed.length === 0) listed = await this.#list(following);
      return listed.shift();
    };
    for (
      let tries = 0;
      failure === undefined ? tries < maxTries : performance.now() < failedAt + maxListedMs;
      tries += 1
    ) {
      const next = await nextAmong(this.#last === undefined ? { gte: firstId } : { gt: this.#last });
      if (isSecondRound && (next === undefined || (start !== undefined && next > start))) break;
      this.#last = next;
      if (next === undefined) {
        isSecondRound = true;
        continue;
      }
      const claimed = await claim(next).catch((error): Work[] => {
        if (failure === undefined || !isUnavailable(error)) throw error;
        return [];
      });
      if (claimed.length > 0) return claimed;
    }
    if (failure !== undefined) throw failure;
    return [];
  }
}
