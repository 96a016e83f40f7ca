import type { Client, CombinedError } from "urql";
import { type DetectionFrameInput, KeptFramesDocument } from "../../../generated/console.js";

/** All that the gateway keeps of a camera. */
const mostFrames = 1000;
/** A page of frames with many objects stays small. */
const pageSize = 100;

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
          ...{ label, confidence, trackId, attributes },
          box: { x, y, width, height },
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
