const firstId = "00000000-0000-0000-0000-000000000000";
/** How many workspaces are tried at once in which others have claimed all work. */
const maxTries = 100;

/** Matches the ids of the workspaces that come next. */
export type FollowingWorkspaces = { gte: string } | { gt: string };

/**
 * The turns of the workspaces with due work, in the order of their ids, so that the backlog of one does not delay the others.
 * There is one for each kind of work.
 */
export class WorkspaceTurns {
  /** The workspace whose turn was last. */
  #last: string | undefined;

  /**
   * Claims work of the next workspace that has any. `find` returns the first of the following workspaces with due work; `claim`
   * returns what it claimed there, which is nothing if other instances have claimed all of it: then it is the turn of the next
   * workspace. Returns an empty list if nothing could be claimed.
   */
  async claim<Work>(
    find: (following: FollowingWorkspaces) => Promise<{ workspaceId: string } | null>,
    claim: (workspaceId: string) => Promise<Work[]>,
  ): Promise<Work[]> {
    const start = this.#last;
    let isSecondRound = start === undefined;
    for (let tries = 0; tries < maxTries; tries += 1) {
      const next = await find(this.#last === undefined ? { gte: firstId } : { gt: this.#last });
      if (isSecondRound && (!next || (start !== undefined && next.workspaceId > start))) return [];
      this.#last = next?.workspaceId;
      if (next) {
        const claimed = await claim(next.workspaceId);
        if (claimed.length > 0) return claimed;
      } else {
        isSecondRound = true;
      }
    }
    return [];
  }
}
