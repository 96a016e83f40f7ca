import DataLoader from "dataloader";
import type { AnswerSize } from "./answer-size.js";
import type { MissingRows } from "./missing-rows.js";
import type { VisibleRecords } from "./visibility.js";

/** The database as the caller may see it, and the loaders of the request. */
export interface ReadingContext {
  readonly visible: VisibleRecords;
  readonly loaders: LoaderStore;
  readonly answerSize: AnswerSize;
  readonly missing: MissingRows;
}

/** `variant` distinguishes reads of the same keys with different arguments. */
type LoaderDefinition<Value, Variant> = (
  context: ReadingContext,
  variant: Variant,
) => DataLoader<string, Value, string>;

export class LoaderStore {
  readonly #loaders = new Map<object, Map<string, DataLoader<string, unknown, string>>>();

  get<Value>(
    definition: object,
    variant: string,
    create: () => DataLoader<string, Value, string>,
  ): DataLoader<string, Value, string> {
    const variants = this.#loaders.get(definition) ?? new Map<string, DataLoader<string, unknown, string>>();
    this.#loaders.set(definition, variants);
    const loader = variants.get(variant) ?? create();
    variants.set(variant, loader);
    return loader as DataLoader<string, Value, string>;
  }

  /** Later reads then see the changes made in between. */
  clear(): void {
    this.#loaders.clear();
  }
}

/** `batch` gets the distinct keys of one tick; keys without a value get `missing`. */
export function defineLoader<Value, Variant = undefined>(
  batch: (context: ReadingContext, keys: readonly string[], variant: Variant) => Promise<Map<string, Value>>,
  missing: () => Value,
  variantKey: (variant: Variant) => string = (variant) => JSON.stringify(variant) ?? "",
): LoaderDefinition<Value, Variant> {
  const definition: LoaderDefinition<Value, Variant> = (context, variant) =>
    context.loaders.get(definition, variantKey(variant), () => {
      return new DataLoader<string, Value, string>(
        async (keys) => {
          const values = await batch(context, keys, variant);
          return keys.map((key) => values.get(key) ?? missing());
        },
        { maxBatchSize: 10_000 },
      );
    });
  return definition;
}
