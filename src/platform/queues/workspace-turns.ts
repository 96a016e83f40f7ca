import { isUnavailable } from "../database-errors.js";

const firstId = "00000000-0000-0000-0000-000000000000";
/** How many workspaces are tried at once in which others have claimed all work. */
const maxTries = 100;
/**
 * For how long workspaces are tried one after the other while nobody can say which has
 * work, in milliseconds. The next call goes on.
 */
const maxListedMs = 5_000;

/** Matches the ids of the workspaces that come next. */
export type FollowingWorkspaces = { gte: string } | { gt: string };

/**
 * Lists workspaces that come next, in the order of their ids, whether they have work or
 * not; none if there are no more.
 */
export type ListWorkspaces = (following: FollowingWorkspaces) => Promise<string[]>;

/**
 * The turns of the workspaces with due work, in the order of their ids, so that the
 * backlog of one does not delay the others. There is one for each kind of work.
 */
export class WorkspaceTurns {
  /** The workspace whose turn was last. */
  #last: string | undefined;
  readonly #list: ListWorkspaces;

  constructor(list: ListWorkspaces) {
    this.#list = list;
  }

  /**
   * Claims work of the next workspace that has any. `find` returns the first of the
   * following workspaces with due work; `claim` returns what it claimed there, which is
   * nothing if other instances have claimed all of it: then it is the turn of the next
   * workspace. Returns an empty list if nothing could be claimed.
   *
   * While a node of the database is away, `find` fails, since it asks all of them. Then
   * each workspace is tried, so that those on other nodes have their turns; what `find`
   * failed with is thrown if nothing could be claimed.
   */
  async claim<Work>(
    find: (following: FollowingWorkspaces) => Promise<{ workspaceId: string } | null>,
    claim: (workspaceId: string) => Promise<Work[]>,
  ): Promise<Work[]> {
    const start = this.#last;
    let isSecondRound = start === undefined;
    /** Why `find` cannot say who is next. */
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
