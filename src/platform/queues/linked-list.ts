/** An item's place in a {@link LinkedList}. */
export interface Link<Item> {
  readonly item: Item;
}

interface Node<Item> extends Link<Item> {
  previous: Node<Item>;
  next: Node<Item>;
}

/**
 * A doubly linked list: unlike an array, or the order of a `Map`, it gives up any of its
 * items in constant time.
 */
export class LinkedList<Item> {
  /** Stands before the first item and after the last. */
  readonly #ends: Node<Item>;

  constructor() {
    const ends = {} as Node<Item>;
    ends.previous = ends;
    ends.next = ends;
    this.#ends = ends;
  }

  /** The first item; undefined if there is none. */
  get first(): Item | undefined {
    return this.#ends.next.item;
  }

  /** Adds an item at the end, and returns what to {@link remove} it by. */
  push(item: Item): Link<Item> {
    const ends = this.#ends;
    const node = { item, previous: ends.previous, next: ends };
    ends.previous.next = node;
    ends.previous = node;
    return node;
  }

  /** Removes an item that is in this list. */
  remove(link: Link<Item>): void {
    const node = link as Node<Item>;
    const { previous, next } = node;
    previous.next = next;
    next.previous = previous;
    // A removed node in the old generation would keep alive the next one, and so on,
    // until the whole heap is collected: whole requests.
    node.previous = node;
    node.next = node;
  }
}
