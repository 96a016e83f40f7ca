import type { GraphQLFieldResolver } from "graphql";
import { createParameterDecorator, Extensions } from "type-graphql";

type TypeFunction = NonNullable<
  NonNullable<Parameters<typeof createParameterDecorator>[1]>["arg"]
>["typeFunc"];
type Resolver = GraphQLFieldResolver<unknown, unknown, Record<string, unknown>>;

const originalArguments = Symbol("original arguments");

interface HiddenArguments {
  [originalArguments]: Record<string, unknown>;
}

interface FieldExtensions {
  takesPlainArguments?: true;
}

/**
 * Marks a resolver that takes long lists. It receives its arguments as they were coerced: type-graphql would convert
 * them to instances of their classes again for each object with the field, and take longer than all other work on them.
 */
export const TakesPlainArguments = () => Extensions({ takesPlainArguments: true } satisfies FieldExtensions);

/** The resolver of a field. Hides the arguments of fields marked with {@link TakesPlainArguments} from type-graphql. */
export function resolverWithPlainArguments({
  resolve,
  extensions,
}: {
  resolve: Resolver;
  extensions: object;
}): Resolver {
  if (!("takesPlainArguments" in extensions)) return resolve;
  return (root, args, context, info) => resolve(root, { [originalArguments]: args }, context, info);
}

export function PlainArgument(
  name: string,
  typeFunc: TypeFunction,
  options: { description: string },
): ParameterDecorator {
  return createParameterDecorator(({ args }) => (args as HiddenArguments)[originalArguments][name], {
    arg: { name, typeFunc, options },
  }) as ParameterDecorator;
}
