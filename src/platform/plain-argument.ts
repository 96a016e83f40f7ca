import { createParameterDecorator, type MiddlewareFn, UseMiddleware } from "type-graphql";

type TypeFunction = NonNullable<NonNullable<Parameters<typeof createParameterDecorator>[1]>["arg"]>["typeFunc"];

const originalArguments = Symbol("original arguments");

interface HiddenArguments {
  [originalArguments]: Record<string, unknown>;
}

const hideArguments: MiddlewareFn = (data, next) => {
  const hidden: HiddenArguments = { [originalArguments]: data.args };
  (data as { args: object }).args = hidden;
  return next();
};

/**
 * For a resolver that takes hundreds of inputs at once: its {@link PlainArgument} is passed on as graphql-js coerced it, because
 * type-graphql takes longer to convert the inputs to instances of their classes than everything else that is done with them.
 */
export const TakesPlainArguments = () => UseMiddleware(hideArguments);

/** An argument of a resolver that is marked with {@link TakesPlainArguments}. */
export function PlainArgument(name: string, typeFunc: TypeFunction): ParameterDecorator {
  return createParameterDecorator(({ args }) => (args as HiddenArguments)[originalArguments][name], {
    arg: { name, typeFunc },
  }) as ParameterDecorator;
}
