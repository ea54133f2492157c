/** Is a history of calls on a deque one that a plain list could have had? After Wing and Gong (1993). */

/** A call: its bit, the bits of the calls that had returned before it began, what it was, and what it gave. */
export type Call = readonly [bit: number, before: number, what: string, result: number];

const EMPTY = -1;
const answers = new Map<string, boolean>();

/**
 * @param filled what the list holds at first, oldest first
 * @param capacity a push on as many entries is refused
 * @param size entries left at the end
 */
export function isLinearizable(
  calls: readonly Call[],
  filled: readonly number[],
  capacity: number,
  size: number,
): boolean {
  const key = JSON.stringify([calls, filled, capacity, size]);
  let answer = answers.get(key);
  if (answer === undefined) {
    answer = search(calls, [...filled], capacity, size);
    answers.set(key, answer);
  }
  return answer;
}

function search(rest: readonly Call[], list: readonly number[], capacity: number, size: number): boolean {
  if (rest.length === 0) return list.length === size;
  return rest.some((call) => {
    // It comes first only if no other call that is left had returned before it began.
    if (rest.some(([bit]) => (call[1] & (1 << bit)) !== 0)) return false;
    const after = perform(call, list, capacity);
    return (
      after !== undefined &&
      search(
        rest.filter((other) => other !== call),
        after,
        capacity,
        size,
      )
    );
  });
}

/** The list after the call, undefined if it could not have given what it gave. */
function perform([, , what, result]: Call, list: readonly number[], capacity: number): readonly number[] | undefined {
  if (what === 'pop')
    return list.length === 0
      ? result === EMPTY
        ? list
        : undefined
      : result === list.at(-1)
        ? list.slice(0, -1)
        : undefined;
  if (what === 'steal')
    return list.length === 0 ? (result === EMPTY ? list : undefined) : result === list[0] ? list.slice(1) : undefined;
  const entry = Number(what.slice('push '.length));
  if (result === 0) return list.length >= capacity ? list : undefined;
  return list.length < capacity ? [...list, entry] : undefined;
}
