/** Records that the caller may see. What is missing does not exist yet. */
export interface OwnRecords {
  facilityId?: string;
  cameraId?: string;
  cameraName?: string;
  alertId?: string;
  alertType?: string;
  jobId?: string;
  userId?: string;
}

interface Row {
  id: string;
  name: string;
}

/** The gateway did not answer, or refused the credentials. */
export class RecordsUnreadableError extends Error {}

/**
 * Finds records for examples that work as shown: the newest alert, its camera, and what belongs to them. Reads by REST,
 * which KNOWN_OPERATIONS does not restrict. `send` sends a GET request as the caller.
 */
export async function findOwnRecords(send: (path: string) => Promise<Response>): Promise<OwnRecords> {
  /** What a path returns; undefined if the caller lacks a permission for it. */
  const read = async <Data>(path: string) => {
    const response = await send(path);
    const body = (await response.json()) as { data: Data; code?: string; message?: string };
    if (response.ok) return body.data;
    if (response.status === 403 || response.status === 404) return undefined;
    throw new RecordsUnreadableError(`${response.status} ${body.code}: ${body.message}`);
  };
  const future = Math.floor(Date.now() / 1000) + 24 * 3600;
  const [newest, user] = await Promise.all([
    read<{ alerts: (Row & { cameraId: string })[] }>(`/alerts?start=0&end=${future}&count=1`),
    read<{ id: string }>("/user"),
  ]);
  const alert = newest?.alerts[0];
  // Both paths return a list.
  const cameras = await read<(Row & { facilityId: string })[]>(
    alert ? `/cameras/${alert.cameraId}` : "/cameras",
  );
  const camera = cameras?.[0];
  const facilityId = camera?.facilityId ?? (await read<Row[]>("/facilities"))?.[0]?.id;
  const job = camera && (await read<Row[]>(`/cameras/${camera.id}/analysis_jobs`))?.[0];
  return {
    ...(facilityId !== undefined && { facilityId }),
    ...(camera && { cameraId: camera.id, cameraName: camera.name }),
    ...(alert && { alertId: alert.id, alertType: alert.name }),
    ...(job && { jobId: job.id }),
    ...(user && { userId: user.id }),
  };
}
