/** The objects in one value, by number; runs on every thread. */

/** Objects are looked for one by one while there are few: a Map gives each one a hash, which takes longer. */
const FEW = 8;

export class ObjectTable {
  readonly #first: object[] = [];
  #numbers: Map<object, number> | undefined;

  /** The number of an object that was here before; undefined for any other, which gets the next number. */
  numberOf(object: object): number | undefined {
    const numbers = this.#numbers;
    if (numbers === undefined) return this.#amongFew(object);
    const known = numbers.get(object);
    if (known === undefined) numbers.set(object, numbers.size);
    return known;
  }

  #amongFew(object: object): number | undefined {
    const first = this.#first;
    for (let i = 0; i < first.length; i++) if (first[i] === object) return i;
    first.push(object);
    if (first.length === FEW) this.#numbers = new Map(first.map((one, i) => [one, i]));
    return undefined;
  }
}
