import { z } from "zod";

// What Frigate says, by MQTT and by HTTP. Only what is used is checked, as fields come and go with Frigate's versions.
// What is too long is left out rather than refused.

/** How much of a list is kept, such as the objects of a review. */
const maxItems = 200;

const name = z.string().min(1).max(200);
const names = z
  .array(z.unknown())
  .catch([])
  .transform((items) => [
    ...new Set(
      items.slice(0, maxItems).filter((item): item is string => {
        return typeof item === "string" && item.length > 0 && item.length <= 200;
      }),
    ),
  ]);

/** Seconds since 1970, as Frigate counts time; later than any date is not a time. */
const time = z.number().positive().max(8_640_000_000_000);

const review = z
  .object({
    id: name,
    camera: name,
    severity: z.string(),
    start_time: time,
    end_time: time.nullish().catch(null),
    data: z.object({
      detections: names,
      objects: names,
      sub_labels: names,
      zones: names,
      audio: names,
    }),
  })
  .transform(({ id, camera, severity, start_time, end_time, data }) => ({
    id,
    camera,
    isAlert: severity === "alert",
    /** When the review began, in milliseconds since 1970, like all times here. */
    start: start_time * 1000,
    /** When the review ended; null while it goes on. */
    end: end_time == null ? null : end_time * 1000,
    objectIds: data.detections,
    // A label that was verified by face or plate is told with this suffix.
    labels: [...new Set(data.objects.map((label) => label.replace(/-verified$/, "")))],
    subLabels: data.sub_labels,
    zones: data.zones,
    sounds: data.audio,
  }));

export type Review = z.infer<typeof review>;

export interface RelativeBox {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

const fourNumbers = z.tuple([z.number(), z.number(), z.number(), z.number()]);
const zonesOfObject = { current_zones: names, entered_zones: names };

const trackedObject = z
  .object({
    id: name,
    camera: name,
    label: z.string().max(200).catch(""),
    box: fourNumbers,
    frame_time: time,
    end_time: time.nullish().catch(null),
    ...zonesOfObject,
  })
  .transform(({ box: [left, top, right, bottom], ...seen }) => ({
    id: seen.id,
    camera: seen.camera,
    label: seen.label,
    /** In pixels of the stream in which the camera's objects are detected. */
    box: { left, top, right, bottom },
    seenAt: seen.frame_time * 1000,
    hasEnded: seen.end_time != null,
    zones: [...new Set([...seen.current_zones, ...seen.entered_zones])],
  }));

/** An object that Frigate tracks, as its topic `events` tells it. */
export type TrackedObject = z.infer<typeof trackedObject>;

const storedObject = z
  .object({
    id: name,
    label: z.string().max(200).catch(""),
    end_time: time.nullish().catch(null),
    zones: names,
    data: z.object({ box: fourNumbers.nullish().catch(null) }).catch({ box: null }),
  })
  .transform(({ id, label, end_time, zones, data: { box } }) => ({
    id,
    label,
    hasEnded: end_time != null,
    zones,
    box: box ? { left: box[0], top: box[1], right: box[0] + box[2], bottom: box[1] + box[3] } : null,
  }));

/** An object as Frigate's HTTP API tells it, with the box of its best picture. */
type StoredObject = z.infer<typeof storedObject>;

const change = z.object({ after: z.unknown() });

/** The longest message that is read, in bytes; those of Frigate have a few thousand. */
const maxMessageBytes = 256 * 1024;

function afterChange(payload: Buffer): unknown {
  if (payload.length > maxMessageBytes) return null;
  try {
    return change.safeParse(JSON.parse(payload.toString("utf8"))).data?.after;
  } catch {
    return null;
  }
}

/** The review of a message of the topic `reviews`; null if it is none. */
export const reviewOfMessage = (payload: Buffer): Review | null =>
  review.safeParse(afterChange(payload)).data ?? null;

/** The object of a message of the topic `events`; null if it is none. */
export const objectOfMessage = (payload: Buffer): TrackedObject | null =>
  trackedObject.safeParse(afterChange(payload)).data ?? null;

const rowsOf = <Row>(rule: z.ZodType<Row>, response: unknown): Row[] =>
  Array.isArray(response) ? response.flatMap((row) => rule.safeParse(row).data ?? []) : [];

/** The reviews of a response to `/api/review`. */
export const reviewsOfResponse = (response: unknown): Review[] => rowsOf(review, response);

/** The objects of a response to `/api/event_ids`. */
export const objectsOfResponse = (response: unknown): StoredObject[] => rowsOf(storedObject, response);
