/** HTML that templates insert as it is. */
class Html {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

export type { Html };

const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A value in a template. Null, undefined and false insert nothing. */
export type Inserted = string | number | Html | null | undefined | false | readonly Inserted[];

function inserted(value: Inserted): string {
  if (value === null || value === undefined || value === false) return "";
  if (value instanceof Html) return value.toString();
  if (Array.isArray(value)) return value.map(inserted).join("");
  return String(value).replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

/** A template of HTML. Escapes its values for text and quoted attributes, except results of other templates. */
export function html(parts: TemplateStringsArray, ...values: readonly Inserted[]): Html {
  return new Html(parts.reduce((text, part, index) => text + inserted(values[index - 1]) + part));
}
