/** How long a batch should take, in milliseconds: nobody else can use an embedded database meanwhile. */
const targetMs = 50;
const [first, least] = [100, 10];

/** The number of rows for a batch, by how long earlier ones took: embedded databases may be a hundred times slower. */
export class BatchSize {
  readonly #most: number;
  #rows: number;

  constructor(most: number) {
    this.#most = most;
    this.#rows = Math.min(first, most);
  }

  get rows(): number {
    return this.#rows;
  }

  /** Notes how long a batch took, and how many rows it had, which may have been fewer. */
  note(rows: number, milliseconds: number): void {
    const fitting = Math.round((rows * targetMs) / Math.max(milliseconds, 0.1));
    // Few rows tell how slow the database is, but not how fast.
    if (rows === this.#rows) this.#rows = Math.min(Math.max(fitting, least), 2 * rows, this.#most);
    else if (rows > 0 && fitting < this.#rows) this.#rows = Math.max(fitting, least);
  }
}
