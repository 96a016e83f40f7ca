import { Field, Int, ObjectType, registerEnumType } from "type-graphql";
import { can } from "../../engine/access/permissions.js";
import { FoundBy, Node } from "../../engine/nodes/node.type.js";
import { BackedBy } from "../../engine/reading/annotations.js";
import { assignedId } from "../../platform/input/descriptions.js";
import { DateTimeIso, Uuid } from "../../platform/input/scalars.js";
import { connectorById, connectors } from "./connector.loader.js";
import { ConnectorKind, UnmappedSourceKind } from "./connector-kind.js";

registerEnumType(ConnectorKind, {
  name: "ConnectorKind",
  description: "What a connector brings into the gateway.",
  valuesConfig: {
    FRIGATE: { description: "Reviews of Frigate, as `npm run connect:frigate` does." },
    MQTT: { description: "Detections over MQTT, as `npm run connect:mqtt` does." },
    OTHER: { description: "Anything else." },
  },
});
registerEnumType(UnmappedSourceKind, {
  name: "UnmappedSourceKind",
  description: "What a source is that a connector could not map.",
  valuesConfig: {
    CAMERA: { description: "A camera of the product that the gateway does not know." },
    ZONE: { description: "A zone of the product for which its camera has no rule." },
  },
});

@ObjectType({
  description: "A camera or a zone of a product that a connector could not map.",
  simpleResolvers: true,
})
class UnmappedSource {
  @Field(() => UnmappedSourceKind, { description: "What the source is." })
  kind!: UnmappedSourceKind;

  @Field(() => String, { description: "The name of the source in the product." })
  name!: string;

  @Field(() => Uuid, {
    nullable: true,
    description:
      "For a zone, the ID of its camera at the gateway; null if the connector does not say. The camera may have been deleted since.",
  })
  cameraId!: string | null;

  @Field(() => Int, { description: "How often the connector has met the source since it started." })
  count!: number;

  @Field(() => DateTimeIso, { description: "When the connector last met the source." })
  lastSeenAt!: Date;
}

@BackedBy(() => connectors)
@FoundBy(async (context, selection, id) =>
  can(context.caller, "api-keys:write") ? connectorById(context, selection).load(id) : null,
)
@ObjectType({
  implements: Node,
  description:
    "A program that uses an API key to bring what another product sees into the gateway. It reports each minute; 30 days after its last report it is deleted.",
  simpleResolvers: true,
})
export class Connector {
  @Field(() => Uuid, { description: assignedId })
  id!: string;

  @Field(() => String, { description: "The connector's own name. Unique among those of its API key." })
  name!: string;

  @Field(() => ConnectorKind, { description: "What the connector brings into the gateway." })
  kind!: ConnectorKind;

  @Field(() => String, { description: "The version that the connector last reported." })
  version!: string;

  @Field(() => DateTimeIso, { description: "When the connector first reported." })
  firstReportedAt!: Date;

  @Field(() => DateTimeIso, { description: "When the connector last reported." })
  lastReportedAt!: Date;

  @Field(() => [UnmappedSource], {
    description:
      "The sources that the connector could not map by its last report, in its order; at most 100.",
  })
  unmapped!: UnmappedSource[];
}
