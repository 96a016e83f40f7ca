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
 * For a resolver that takes lists, which may be long: its arguments are passed on as they
 * were coerced, because type-graphql takes longer to convert them to instances of their
 * classes than everything else that is done with them, and converts them again for each
 * object that has the field.
 */
export const TakesPlainArguments = () => Extensions({ takesPlainArguments: true } satisfies FieldExtensions);

/**
 * The resolver of a field, which hides the arguments from type-graphql if it is marked
 * with {@link TakesPlainArguments}.
 */
export function resolverWithPlainArguments({
  resolve,
  extensions,
}: {
  resolve: Resolver;
  extensions: object;
}): Resolver {
  if (!(extensions as FieldExtensions).takesPlainArguments) return resolve;
  return (root, args, context, info) => resolve(root, { [originalArguments]: args }, context, info);
}

/** An argument of a resolver that is marked with {@link TakesPlainArguments}. */
export function PlainArgument(
  name: string,
  typeFunc: TypeFunction,
  options: { description: string },
): ParameterDecorator {
  return createParameterDecorator(({ args }) => (args as HiddenArguments)[originalArguments][name], {
    arg: { name, typeFunc, options },
  }) as ParameterDecorator;
}

/** All arguments of a resolver that is marked with {@link TakesPlainArguments}. */
export const PlainArguments = () =>
  createParameterDecorator(({ args }) => (args as HiddenArguments)[originalArguments]) as ParameterDecorator;
