import { Field, ObjectType } from "type-graphql";
import { z } from "zod";
import { inputType } from "../../platform/input/input-type.js";
import { emailAddress, linesOfText, printableText } from "../../platform/input/text-rules.js";

@ObjectType({ description: "Somebody to call about a facility or a camera.", simpleResolvers: true })
export class Contact {
  @Field(() => String, { description: "The name of the person or the service." })
  name!: string;

  @Field(() => String, {
    nullable: true,
    description: "What they do, such as electrician; null if not said.",
  })
  role!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The number to call, as it was written; null if not said.",
  })
  phoneNumber!: string | null;

  @Field(() => String, { nullable: true, description: "The email address; null if not said." })
  email!: string | null;

  @Field(() => String, { nullable: true, description: "Such as when to call; null if not said." })
  note!: string | null;
}

const contact = z.object({
  name: printableText(100).describe("1 to 100 printable characters."),
  role: printableText(100).nullish().describe("1 to 100 printable characters."),
  phoneNumber: printableText(50)
    .nullish()
    .describe("A number to call, in any notation, of at most 50 characters."),
  email: emailAddress.nullish().describe("An email address."),
  note: linesOfText(500).nullish().describe("1 to 500 characters."),
});
inputType("ContactInput", "Somebody to call about a facility or a camera.", contact);

const contacts = z.array(contact, "must be a list").max(5, "must list at most 5");

/** The rule for whom to call, of a new or a changed row. */
export const givenContacts = contacts
  .optional()
  .describe(
    "Whom to call, in this order, at most 5; named in mails about outages. They replace the current ones.",
  );

/** Whom to call, as it is stored. */
export const contactsOf = (stored: unknown): Contact[] =>
  contacts.parse(stored).map(({ name, role = null, phoneNumber = null, email = null, note = null }) => ({
    ...{ name, role, phoneNumber, email, note },
  }));

/** The columns that hold given contacts; none without them. */
export const contactColumns = (given: z.infer<typeof givenContacts>) =>
  given && { contacts: contactsOf(given).map((each) => ({ ...each })) };
