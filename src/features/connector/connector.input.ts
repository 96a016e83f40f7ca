import { z } from "zod";
import { idField, inputType } from "../../platform/input/input-type.js";
import { optionalList } from "../../platform/input/list-rule.js";
import { printableText } from "../../platform/input/text-rules.js";
import { ConnectorKind, UnmappedSourceKind } from "./connector-kind.js";

/** The maximum number of sources that a report names. */
const maxUnmapped = 100;

const unmappedSource = z.object({
  kind: z.enum(UnmappedSourceKind).describe("What the source is."),
  name: printableText(200).describe(
    "The name of the source in the product: 1 to 200 printable characters, not blank.",
  ),
  cameraId: idField
    .nullish()
    .describe(
      "For a zone, the ID of its camera at the gateway, by which people find where to add a rule. It is not looked up.",
    ),
  count: z
    .int("must be an integer")
    .min(1, "must be positive")
    .max(2_147_483_647, "must be at most 2147483647")
    .describe("How often the connector has met the source since it started; at least 1."),
  lastSeenAt: z.date().describe("When the connector last met the source."),
});
inputType("UnmappedSourceInput", "A source that a connector could not map.", unmappedSource);

export type ConnectorReportInput = InstanceType<typeof ConnectorReportInput>;
export const ConnectorReportInput = inputType(
  "ConnectorReportInput",
  "What a connector says of itself.",
  z.object({
    name: printableText(100).describe(
      "Tells the connectors of an API key apart: 1 to 100 printable characters, not blank. It should stay the same when the connector starts anew.",
    ),
    kind: z.enum(ConnectorKind).describe("What the connector brings into the gateway."),
    version: printableText(100).describe(
      "The connector's version: 1 to 100 printable characters, not blank.",
    ),
    unmapped: optionalList(unmappedSource, maxUnmapped).describe(
      `The sources that the connector could not map, at most ${maxUnmapped}; by default none. They replace those of its last report.`,
    ),
  }),
);
