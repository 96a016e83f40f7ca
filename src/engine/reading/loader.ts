import DataLoader from "dataloader";
import type { AnswerSize } from "./answer-size.js";
import type { MissingRows } from "./missing-rows.js";
import type { VisibleRecords } from "./visibility.js";

/** What reading needs of a request: the database as its caller may see it, and the loaders of the request. */
export interface ReadingContext {
  readonly visible: VisibleRecords;
  readonly loaders: LoaderStore;
  readonly answerSize: AnswerSize;
  readonly missing: MissingRows;
}

/** The loader of a request for one batched read; `variant` tells reads of the same keys with other arguments apart. */
type LoaderDefinition<Value, Variant> = (
  context: ReadingContext,
  variant: Variant,
) => DataLoader<string, Value, string>;

/** The loaders of one request, created on first use. */
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

  /** Discards everything that was read, so that later reads see the changes made in between. */
  clear(): void {
    this.#loaders.clear();
  }
}

/**
 * Defines a batched read. `batch` gets the distinct keys of one tick and returns a map from key to value; keys without
 * a value get `missing`. Variants are the same when `variantKey` says so, by default when their JSON is the same.
 */
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
