import DataLoader from "dataloader";

/** How one kind of thing is read in batches; `variant` tells apart reads of the same keys with other arguments. */
export type LoaderDefinition<Context, Key, Value, Variant> = (
  context: Context & { loaders: LoaderStore },
  variant: Variant,
) => DataLoader<Key, Value, string>;

/** The loaders of one request, made on first use. */
export class LoaderStore {
  readonly #loaders = new Map<object, Map<string, DataLoader<unknown, unknown, string>>>();

  /** The loader of a definition for one variant of its arguments. */
  get<Key, Value>(definition: object, variant: string, create: () => DataLoader<Key, Value, string>): DataLoader<Key, Value, string> {
    const variants = this.#loaders.get(definition) ?? new Map<string, DataLoader<unknown, unknown, string>>();
    this.#loaders.set(definition, variants);
    const loader = variants.get(variant) ?? (create() as DataLoader<unknown, unknown, string>);
    variants.set(variant, loader);
    return loader as DataLoader<Key, Value, string>;
  }

  /** Forgets everything read, so that what follows sees what was written. */
  clear(): void {
    this.#loaders.clear();
  }
}

/**
 * Defines a batched read. `batch` gets the distinct keys of one tick and answers a map from key to value; a key that is
 * missing there gets `missing`. Keys are strings; variants are the same when `keyOf` says so, JSON if nothing else.
 */
export function defineLoader<Context, Value, Variant = undefined>(
  batch: (context: Context, keys: readonly string[], variant: Variant) => Promise<Map<string, Value>>,
  missing: () => Value,
  keyOf: (variant: Variant) => string = (variant) => JSON.stringify(variant) ?? "",
): LoaderDefinition<Context, string, Value, Variant> {
  const definition: LoaderDefinition<Context, string, Value, Variant> = (context, variant) =>
    context.loaders.get(definition, keyOf(variant), () => {
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

/** Collects rows under the key that each belongs to, in their order. */
export function groupBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}
