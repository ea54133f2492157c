/** The lines at which a program calls algorithms; on the thread that called `profile`. */

interface CallLine {
  readonly module: string;
  readonly line: number;
}

/** Of more calls of one name, the lines are not looked at: a frame takes some microseconds. */
const MOST_CALLS = 100;

export class CallPlaces {
  readonly #calls = new Map<string, (() => CallLine | undefined)[]>();

  add(name: string, place: () => CallLine | undefined): void {
    const calls = this.#calls.get(name);
    if (calls === undefined) this.#calls.set(name, [place]);
    else if (calls.length < MOST_CALLS) calls.push(place);
  }

  /** The line of all calls of the algorithm whose function has a name such as `body of parallelFor`; undefined if there are several. */
  of(called: string): CallLine | undefined {
    const places = this.#calls.get(/\w+$/.exec(called)?.[0] ?? '')?.map((place) => place());
    const [first] = places ?? [];
    const isSame = places?.every((place) => place?.module === first?.module && place?.line === first?.line);
    return isSame === true ? first : undefined;
  }
}
