import { Field, ObjectType } from "type-graphql";
import { FoundBy, Node } from "../../engine/nodes/node.type.js";
import { BackedBy } from "../../engine/reading/annotations.js";
import { assignedId, chosenName } from "../../platform/input/descriptions.js";
import { DateTimeIso, Uuid } from "../../platform/input/scalars.js";
import { workspaces } from "./workspace.loader.js";
import { findWorkspace } from "./workspace.service.js";

@BackedBy(() => workspaces)
@FoundBy(findWorkspace)
@ObjectType({
  implements: Node,
  description:
    "A customer's account with its facilities and users. Nothing in a workspace is visible from another one.",
  simpleResolvers: true,
})
export class Workspace {
  @Field(() => Uuid, { description: assignedId })
  id!: string;

  @Field(() => String, { description: `The customer's name for the workspace: ${chosenName}` })
  name!: string;

  @Field(() => DateTimeIso, { description: "When the workspace was created." })
  createdAt!: Date;
}
