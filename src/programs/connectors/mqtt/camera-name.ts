import { wildcardCount } from "./topic-filter.js";

/** What a name may be made of besides the wildcards of a topic: what the formats tell. */
export const formatFields = { AXIS_SCENE: "channel", DEEPSTREAM: "sensor", GATEWAY: "camera" } as const;

type SourceFormat = keyof typeof formatFields;

const placeholder = /\$(\w*)/g;

export function usualCameraName(format: SourceFormat, topic: string): string | undefined {
  if (format !== "AXIS_SCENE") return `$${formatFields[format]}`;
  return wildcardCount(topic) > 0 ? "$1" : undefined;
}

/** Why no name can be made of a template for messages of a format; undefined if it can. */
export function cameraNameIssue(template: string, format: SourceFormat, topic: string): string | undefined {
  const count = wildcardCount(topic);
  const known = [...Array.from({ length: count }, (_, index) => `${index + 1}`), formatFields[format]];
  const unknown = Array.from(template.matchAll(placeholder), ([, name = ""]) => name).find(
    (name) => !known.includes(name),
  );
  if (unknown === undefined) return undefined;
  const names = known.map((name) => `$${name}`).join(", ");
  return `has $${unknown}, but there is only ${names}`;
}

/** The name of a camera: the template with what the wildcards of the topic stand for, and what the message tells. */
export const cameraName = (template: string, wildcards: readonly string[], cameraField: string): string =>
  template.replaceAll(placeholder, (_match, name: string) =>
    /^\d+$/.test(name) ? (wildcards[Number(name) - 1] ?? "") : cameraField,
  );
