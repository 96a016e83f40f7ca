import { Field, ObjectType } from "type-graphql";
import { Uuid } from "../platform/scalars.js";
import { BackedBy } from "../reading/annotations.js";
import { workspaces } from "./workspace.loader.js";

@BackedBy(() => workspaces)
@ObjectType({
  description: "A customer's account with its facilities and users. Nothing in a workspace is visible from another one.",
  simpleResolvers: true,
})
export class Workspace {
  @Field(() => Uuid)
  id!: string;

  @Field(() => String)
  name!: string;
}
