/** `limit`: how many tasks, items of a stage, and nodes may run at once, of those that need what there is little of; on the calling thread. */
import { isLoading, type LimitedInvoke, PERMITS, type PermitRequest } from '../../core/engine.js';
import { show } from '../../core/errors.js';
import { ofType, readOptions } from '../../core/options.js';
import { Admission, type Ask, Stock } from './admission.js';
import { invokeWith } from './invocation.js';
import './observed.js';

/** The inside of a request for permits: what is asked for, and how the core runs `pool.invoke(task, { limit })` and algorithms with this option. */
class Asked implements LimitedInvoke {
  readonly ask: Ask;

  constructor(ask: Ask) {
    this.ask = ask;
  }

  invoke(...[executor, task, options]: Parameters<LimitedInvoke['invoke']>): Promise<unknown> {
    const admission = admissionOf(options.limit, 'invoke(task, options): limit') as Admission;
    return invokeWith(admission, executor, task, options);
  }

  async run<R>(...[given, what, start, signal]: Parameters<LimitedInvoke['run']>): Promise<R> {
    return (admissionOf(given, what) as Admission).run(start as () => Promise<R>, signal);
  }
}

class Request implements PermitRequest {
  readonly [PERMITS]: Asked;

  constructor(stock: Stock, permits: number) {
    this[PERMITS] = new Asked({ stock, permits });
  }
}

/** A number of permits that tasks share. It is one for each task, unless the task asks for more. */
export interface Limit extends PermitRequest {
  /** Number of permits. */
  readonly size: number;
  /** Number of permits that are taken now. */
  readonly inUse: number;
  /** Number of tasks, items and nodes that wait for permits. */
  readonly waiting: number;
  /**
   * A request for several permits: `memory.of(300)` of a limit of 1,000 MB.
   *
   * @param permits 1 up to the size of the limit
   * @throws RangeError for any other number
   */
  of(permits: number): PermitRequest;
}

class SharedLimit extends Request implements Limit {
  readonly #stock: Stock;

  constructor(stock: Stock) {
    super(stock, 1);
    this.#stock = stock;
  }

  get size(): number {
    return this.#stock.size;
  }

  get inUse(): number {
    return this.#stock.size - this.#stock.free;
  }

  get waiting(): number {
    return this.#stock.line.size;
  }

  of(permits: number): PermitRequest {
    const stock = this.#stock;
    if (!Number.isSafeInteger(permits) || permits < 1 || permits > stock.size)
      throw new RangeError(
        `furcate: of(permits) of ${stock.name} takes an integer from 1 to ${stock.size}, the size of the limit; it was given ${show(permits)}.`,
      );
    return new Request(stock, permits);
  }
}

/**
 * Makes a limit: at most so many tasks at once that name it, of whatever pool, stage or graph. A task that has to wait holds no worker.
 *
 * Permits belong to tasks. All that a task asks for is taken before it starts, in the order of asking, and given back when its promise settles:
 * with a result, an error, a cancellation, or the death of its worker. There is nothing to acquire and to release. A limit belongs to the thread
 * that has made it, where the invocations, items and nodes wait that name it.
 *
 * @param size how many permits there are: an integer from 1 up
 * @param options `name` appears in errors
 * @throws TypeError or RangeError naming the argument
 * @example
 * const connections = limit(4, { name: 'connections' });
 * connections.size; // => 4
 * connections.inUse; // => 0
 */
export function limit(size: number, options: { readonly name?: string | undefined } = {}): Limit {
  if (!Number.isSafeInteger(size) || size < 1) {
    const Kind = typeof size === 'number' ? RangeError : TypeError;
    throw new Kind(`furcate: limit(size) takes an integer from 1 up; it was given ${show(size)}.`);
  }
  const { name = `limit(${size})` } = readOptions(options, CALL, OPTIONS, { prefix: `${CALL}: ` });
  const stock = new Stock(name, size);
  if (isLoading()) ofImports.add(stock);
  return new SharedLimit(stock);
}

const CALL = 'limit(size, options)';
const OPTIONS = { name: ofType<string>('string') };

/** Limits that a worker has made while it imported a module: the program has others of the same text. */
const ofImports = new WeakSet<Stock>();

/**
 * Checks what an option `limit` was given.
 *
 * @param given undefined for none
 * @param what names it in errors: `map(f, options): limit`
 * @param outer what those hold who start this
 * @returns undefined for none
 * @throws TypeError for what is no limit, or a limit that is named twice; Error for one that `outer` holds, and for one that a worker's
 *   import has made. While a module is imported, it may make graphs and pipelines with such limits: then what they start is refused
 */
export function admissionOf(given: unknown, what: string, outer?: Admission): Admission | undefined {
  if (given === undefined) return undefined;
  const requests: readonly unknown[] = Array.isArray(given) ? given : [given];
  const asks = requests.map((request) => {
    if (PERMITS in Object(request)) return (request as Request)[PERMITS].ask;
    throw new TypeError(
      `furcate: ${what} takes what limit() or its of() gives, or an array of these; it was given ${show(request)}.`,
    );
  });
  for (const [k, { stock }] of asks.entries()) {
    if (asks.findIndex((other) => other.stock === stock) < k)
      throw new TypeError(`furcate: ${what} names ${stock.name} twice. Ask for several permits at once: limit.of(2).`);
    if (outer?.asks.some((held) => held.stock === stock) === true)
      throw new Error(
        `furcate: ${what} names ${stock.name}, which is held already by what starts this: it would wait for itself. Name the limit in one of the two.`,
      );
  }
  const refusal = refusalOf(asks, what);
  if (refusal !== undefined && !isLoading()) throw refusal;
  return asks.length === 0 ? undefined : new Admission(asks, refusal);
}

function refusalOf(asks: readonly Ask[], what: string): Error | undefined {
  const own = asks.find(({ stock }) => ofImports.has(stock));
  if (own === undefined) return undefined;
  return new Error(
    `furcate: ${what} names ${own.stock.name}, which this worker has made for itself when it imported the module. A limit holds on the thread that has made it: use it there, in the options of pool.invoke(), of a stage or of a node.`,
  );
}
