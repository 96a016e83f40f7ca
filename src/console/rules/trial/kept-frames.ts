import type { Client, CombinedError } from "urql";
import { type DetectionFrameInput, KeptFramesDocument } from "../../../generated/console.js";

/** All that the gateway keeps of a camera. */
const mostFrames = 1000;
/** A page of frames with many objects stays small. */
const pageSize = 100;

/** The values and the objects that a request may hold. */
const mostValues = 150_000;
const mostObjects = 5_000;

/** The frames of a camera that the gateway keeps, or why they could not be read. */
export type KeptFrames = { frames: DetectionFrameInput[] | null } | { error: CombinedError };

/**
 * Reads what the detectors of a camera saw lately, oldest first; null if the gateway keeps
 * no detections.
 */
export async function readKeptFrames(client: Client, cameraId: string): Promise<KeptFrames> {
  const frames: DetectionFrameInput[] = [];
  let after: string | null = null;
  do {
    const { data, error } = await readPage(client, cameraId, after);
    if (error) return { error };
    const page = data?.camera?.detections;
    if (!page) return { frames: null };
    for (const { at, width, height, objects } of page.nodes)
      frames.push({
        ...{ cameraId, at, width, height },
        objects: objects.map(({ label, confidence, box: { x, y, width, height }, trackId, attributes }) => ({
          ...{ label, confidence, box: { x, y, width, height } },
          ...(trackId !== null && { trackId }),
          ...(attributes !== null && { attributes }),
        })),
      });
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
  } while (after !== null && frames.length < mostFrames);
  return { frames: frames.slice(0, mostFrames).reverse() };
}

const readPage = (client: Client, camera: string, after: string | null) =>
  client
    .query(KeptFramesDocument, { camera, first: pageSize, after }, { requestPolicy: "network-only" })
    .toPromise();

/** The newest frames that fit into a request, with what else it says; oldest first. */
export function newestThatFit(frames: readonly DetectionFrameInput[], others: object): DetectionFrameInput[] {
  let values = countValues(others) + countValues([]);
  let objects = 0;
  const tooOld = frames.findLastIndex((frame) => {
    values += countValues(frame);
    objects += frame.objects.length;
    return values > mostValues || objects > mostObjects;
  });
  return frames.slice(tooOld + 1);
}

/** Counts as the gateway does: lists and objects are values, too. */
function countValues(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((count: number, each) => count + countValues(each), 1);
}
