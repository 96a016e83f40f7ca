// Needs no gateway.

import { type FollowingWorkspaces, WorkspaceTurns } from "../../src/engine/leases/workspace-turns.js";
import { listOf } from "../support/list-of.js";

/** Work of several workspaces. A claim takes one piece. */
class Backlog {
  readonly #turns = new WorkspaceTurns(async () => []);
  /** The workspaces that were asked for work. */
  readonly asked: string[] = [];

  /** `locked`: workspaces whose work others have claimed. */
  constructor(
    readonly pieces: Record<string, number>,
    readonly locked: string[] = [],
  ) {}

  async claim(): Promise<string | undefined> {
    const [claimed] = await this.#turns.claim(
      async (following) => {
        const [first] = Object.keys(this.pieces)
          .filter(
            (id) =>
              (this.pieces[id] ?? 0) > 0 && ("gt" in following ? id > following.gt : id >= following.gte),
          )
          .sort();
        return first === undefined ? null : { workspaceId: first };
      },
      async (workspaceId) => {
        this.asked.push(workspaceId);
        if (this.locked.includes(workspaceId)) return [];
        this.pieces[workspaceId] = (this.pieces[workspaceId] ?? 0) - 1;
        return [workspaceId];
      },
    );
    return claimed;
  }

  /** The workspaces of the next pieces of work. */
  async take(count: number): Promise<(string | undefined)[]> {
    const taken: (string | undefined)[] = [];
    for (let n = 0; n < count; n += 1) taken.push(await this.claim());
    return taken;
  }
}

it("workspaces take turns, however much work one has", async () => {
  expect(await new Backlog({ a: 9, b: 1, c: 2 }).take(6)).toEqual(["a", "b", "c", "a", "c", "a"]);
});

it("a workspace whose work came later is served in its turn", async () => {
  const backlog = new Backlog({ b: 9, c: 9 });
  expect(await backlog.take(1)).toEqual(["b"]);
  backlog.pieces.a = 1;
  expect(await backlog.take(3)).toEqual(["c", "a", "b"]);
});

it("work that others have claimed is passed over, and a round without any ends", async () => {
  const backlog = new Backlog({ a: 1, b: 1, c: 1 }, ["a", "b"]);
  expect(await backlog.take(2)).toEqual(["c", undefined]);
  expect(backlog.asked).toEqual(["a", "b", "c", "a", "b"]);
});

it("nothing is claimed where there is no work", async () => {
  expect(await new Backlog({}).take(2)).toEqual([undefined, undefined]);
});

it("a hundred workspaces at most are tried at once, and the next ones the next time", async () => {
  const ids = listOf(150, (n) => `w${String(n).padStart(3, "0")}`);
  const backlog = new Backlog(Object.fromEntries(ids.map((id) => [id, 1])), ids.slice(0, 120));
  expect(await backlog.take(2)).toEqual([undefined, "w120"]);
});

describe("while a node is away, so that nobody can say where there is work", () => {
  const away = () => Object.assign(new Error("connection to the remote node failed"), { code: "08006" });
  const fail = () => Promise.reject(away());
  const ids = ["a", "b", "c", "d"];
  const list = async (following: FollowingWorkspaces) =>
    ids.filter((id) => ("gt" in following ? id > following.gt : id >= following.gte)).slice(0, 2);

  it("every workspace is tried in its turn, and those on the node are passed over", async () => {
    const turns = new WorkspaceTurns(list);
    const claim = async (id: string) => (id === "b" ? fail() : id === "a" ? [] : [id]);
    expect([
      await turns.claim(fail, claim),
      await turns.claim(fail, claim),
      await turns.claim(fail, claim),
    ]).toEqual([["c"], ["d"], ["c"]]);
  });

  it("the failure is reported once there is nothing left to claim", async () => {
    const asked: string[] = [];
    const claim = async (id: string) => {
      asked.push(id);
      return [];
    };
    await expect(new WorkspaceTurns(list).claim(fail, claim)).rejects.toThrow(
      "connection to the remote node failed",
    );
    expect(asked).toEqual(ids);
  });

  it("any other failure of a claim is not passed over", async () => {
    const claim = () => Promise.reject(new Error("out of order"));
    await expect(new WorkspaceTurns(list).claim(fail, claim)).rejects.toThrow("out of order");
  });
});
