/**
 * Waiting for a word without blocking, in browsers that lack `Atomics.waitAsync` (Firefox before 145): a thread of its own blocks on the
 * word, and sends a message when it is woken. Such threads are kept: there is one for each wait at a time.
 */
import { type AsyncWait, load } from '../memory/atomics.js';

const TEXT = 'onmessage = ({ data }) => { Atomics.wait(...data); postMessage(0); }';

let url: string | undefined;
const idle: Worker[] = [];
/** True if this page may not have such threads: a policy forbids workers from blob: URLs. */
let isRefused = false;

/** As `Atomics.waitAsync`; undefined where there can be no such thread. */
export function waitAsync(words: Int32Array, index: number, expected: number): AsyncWait | undefined {
  if (isRefused) return undefined;
  if (load(words, index) !== expected) return { async: false, value: 'not-equal' };
  const waiter = idle.pop() ?? newWaiter();
  if (waiter === undefined) return undefined;
  const value = new Promise<'ok'>((woken) => {
    const end = (): void => woken('ok');
    waiter.onmessage = () => {
      idle.push(waiter);
      end();
    };
    waiter.onerror = (event) => {
      event.preventDefault();
      isRefused = true;
      end(); // whoever waits looks, and waits in another way
    };
    waiter.postMessage([words, index, expected]);
  });
  return { async: true, value };
}

function newWaiter(): Worker | undefined {
  try {
    url ??= URL.createObjectURL(new Blob([TEXT], { type: 'text/javascript' }));
    return new Worker(url, { name: 'furcate-waiter' });
  } catch {
    isRefused = true;
    return undefined;
  }
}
