/** The place of an item in a {@link LinkedList}. */
export interface Link<Item> {
  readonly item: Item;
}

interface Node<Item> extends Link<Item> {
  previous: Node<Item>;
  next: Node<Item>;
}

/**
 * A doubly linked list. Unlike an array or the order of a `Map`, it removes any item in
 * constant time.
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

  /** Adds an item at the end. Returns its link, for {@link remove}. */
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
    // Unlink the node: in the old generation, it would keep the next one alive, and so
    // on, until a collection of the whole heap. These nodes hold whole requests.
    node.previous = node;
    node.next = node;
  }
}
