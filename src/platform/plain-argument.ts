import { createParameterDecorator, type MiddlewareFn, UseMiddleware } from "type-graphql";

type TypeFunction = NonNullable<NonNullable<Parameters<typeof createParameterDecorator>[1]>["arg"]>["typeFunc"];

const given = Symbol("the arguments as they were given");

interface HiddenArguments {
  [given]: Record<string, unknown>;
}

const hideArguments: MiddlewareFn = (data, next) => {
  const hidden: HiddenArguments = { [given]: data.args };
  (data as { args: object }).args = hidden;
  return next();
};

/**
 * For a resolver that takes hundreds of inputs at once: its {@link PlainArgument} is handed on as the schema took it. To make
 * instances of input classes takes the library longer than anything else that is done with them.
 */
export const TakesPlainArguments = () => UseMiddleware(hideArguments);

/** An argument of a resolver that {@link TakesPlainArguments}. */
export function PlainArgument(name: string, typeFunc: TypeFunction): ParameterDecorator {
  return createParameterDecorator(({ args }) => (args as HiddenArguments)[given][name], { arg: { name, typeFunc } }) as ParameterDecorator;
}
