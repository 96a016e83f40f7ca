import { Field, ObjectType } from "type-graphql";
import { assignedId, chosenName } from "../platform/input/descriptions.js";
import { Uuid } from "../platform/input/scalars.js";
import { BackedBy } from "../reading/annotations.js";
import { FoundBy, Node } from "../relay/node.type.js";
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
}
