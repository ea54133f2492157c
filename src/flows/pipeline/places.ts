/**
 * Places in flight; runs on the calling thread.
 *
 * In an ordered run they are free in the order in which they were taken: so item k + inFlight is not read before item k has left, even if others
 * were dropped in between. The exception is an item in an open batch. It keeps its place, but later items must be able to fill the batch.
 */

/** Place that an item holds while it is on its way. */
export interface Hold {
  /** The item has left. */
  release(): void;
  /** The item waits in an open batch. */
  park(): void;
}

export const NO_HOLD: Hold = { release() {}, park() {} };

/** One hold in place of several: that of a batch, for its members. */
export const all = (holds: readonly Hold[]): Hold => ({
  release() {
    for (const hold of holds) hold.release();
  },
  park() {
    for (const hold of holds) hold.park();
  },
});

/** Number of places that are free again and kept in a list before it is cut. */
const MAX_FREE = 1024;

class Place implements Hold {
  isHeld = true;
  isParked = false;
  /** True if it is counted apart from the list. */
  isApart: boolean;
  readonly #places: Places;

  constructor(places: Places, isApart: boolean) {
    this.#places = places;
    this.isApart = isApart;
  }

  release(): void {
    if (!this.isHeld) return;
    this.isHeld = false;
    this.#places.changed(this);
  }

  park(): void {
    if (this.isParked) return;
    this.isParked = true;
    this.#places.changed(this);
  }
}

export class Places {
  #size: number;
  readonly #isOrdered: boolean;
  readonly #onRoom: () => void;
  /** In the order in which they were taken, from the first that is held and not parked on. Empty if there is no order. */
  #taken: Place[] = [];
  #first = 0;
  /** Number of places held that are not in the list: parked, or without an order. */
  #apart = 0;

  /** @param onRoom called whenever a place may have become free */
  constructor(size: number, { isOrdered, onRoom }: { readonly isOrdered: boolean; readonly onRoom: () => void }) {
    this.#size = size;
    this.#isOrdered = isOrdered;
    this.#onRoom = onRoom;
  }

  get size(): number {
    return this.#size;
  }

  resize(size: number): void {
    this.#size = size;
    this.#onRoom();
  }

  /** Number of free places. Negative for a while after there have become fewer. */
  get free(): number {
    return this.#size - (this.#apart + this.#taken.length - this.#first);
  }

  get hasRoom(): boolean {
    return this.free > 0;
  }

  take(): Hold {
    const place = new Place(this, !this.#isOrdered);
    if (this.#isOrdered) this.#taken.push(place);
    else this.#apart++;
    return place;
  }

  /** A place was released or parked. */
  changed(changed: Place): void {
    if (changed.isApart && !changed.isHeld) this.#apart--;
    for (let place = this.#taken[this.#first]; place !== undefined; place = this.#taken[this.#first]) {
      if (place.isHeld && !place.isParked) break;
      this.#first++;
      place.isApart = place.isHeld;
      if (place.isHeld) this.#apart++;
    }
    this.#cut();
    this.#onRoom();
  }

  #cut(): void {
    if (this.#first < MAX_FREE || this.#first * 2 < this.#taken.length) return;
    this.#taken = this.#taken.slice(this.#first);
    this.#first = 0;
  }
}
