import { Field, ObjectType } from "type-graphql";
import { Uuid } from "../platform/scalars.js";

@ObjectType({
  description: "A customer's realm: its facilities and users. Nothing in one workspace is ever seen from another.",
  simpleResolvers: true,
})
export class Workspace {
  @Field(() => Uuid)
  id!: string;

  @Field(() => String)
  name!: string;
}
