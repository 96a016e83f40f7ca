import { Prisma } from "../../generated/prisma/client.js";
import { later } from "../../platform/time.js";

/** Attempts and leases are an hour ahead at most, and clocks differ a little. */
const maxLeaseMs = 3_660_000;

/** The latest time of a `Date`. */
const latestTime = 8.64e15;

type Bound<Field extends string, Limit extends string> = Record<Field, Record<Limit, Date>>;

/**
 * When stored times count as due: once they have come, and if they are further ahead than any would be set. A clock
 * that was ahead must not keep work waiting until then.
 */
export class Due {
  readonly #now: Date;
  readonly #latest: Date;

  constructor(now: Date, maxAheadMs = maxLeaseMs) {
    this.#now = now;
    this.#latest = new Date(Math.min(now.getTime() + maxAheadMs, latestTime));
  }

  /** What is at least of an age, in milliseconds, or as far ahead of now. */
  static ofAge(ageMs: number, now: Date): Due {
    return new Due(later(now, -ageMs), 2 * ageMs);
  }

  includes(time: Date): boolean {
    return time <= this.#now || time > this.#latest;
  }

  /** The condition on a column. */
  of(column: Prisma.Sql): Prisma.Sql {
    return Prisma.sql`(${column} <= ${this.#now}::timestamptz OR ${column} > ${this.#latest}::timestamptz)`;
  }

  /** The condition on a field of a model. */
  where<Field extends string>(field: Field): { OR: [Bound<Field, "lte">, Bound<Field, "gt">] } {
    const bound = (limit: object) => ({ [field]: limit }) as never;
    return { OR: [bound({ lte: this.#now }), bound({ gt: this.#latest })] };
  }
}
