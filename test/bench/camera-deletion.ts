import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { idKinds, idOf } from "./dataset-ids.js";
import type { MeasuredProcess } from "./measured-process.js";
import { fetchJson, graphql } from "./requests.js";

const mutation = "mutation Delete($id: UUID!) { deleteCamera(id: $id) { id } }";

/** The cost of deleting a camera. */
export interface Deletion {
  /** Until the mutation was answered, in milliseconds. */
  answered: number;
  /** The number of its alerts. */
  alerts: number;
}

/**
 * Deletes the n-th camera of the cameras for deletion, and waits until none of its
 * alerts are left.
 */
export async function deleteCamera(
  gateway: MeasuredProcess,
  database: string,
  authorization: string,
  n: number,
): Promise<Deletion> {
  const id = idOf(idKinds.camera, 3 + 7 * n);
  // The CPU time of this connection does not count, because it ends before the CPU time
  // of the others is read.
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  try {
    const { rows } = await client.query<{ alerts: number }>(
      `SELECT count(*)::int AS "alerts" FROM "Alert" WHERE "cameraId" = $1`,
      [id],
    );
    const started = performance.now();
    const answer = (await fetchJson(gateway.url, graphql(mutation, { id }), { authorization })) as {
      data: { deleteCamera: unknown } | null;
    };
    const answered = performance.now() - started;
    if (!answer.data) throw new Error(`deleteCamera returned ${JSON.stringify(answer)}`);
    // Also the pictures are to be gone, so that nothing of this is measured with the next
    // deletion.
    for (let isLeft = true; isLeft; await sleep(50)) {
      const left = await client.query<{ isLeft: boolean }>(
        `SELECT EXISTS (SELECT FROM "Camera" WHERE "id" = $1 AND "keptUntil" IS NULL) OR EXISTS (SELECT FROM "ObjectRemoval" WHERE "dueAt" <= now()) AS "isLeft"`,
        [id],
      );
      isLeft = left.rows[0]?.isLeft === true;
    }
    return { answered, alerts: rows[0]?.alerts as number };
  } finally {
    await client.end();
  }
}
