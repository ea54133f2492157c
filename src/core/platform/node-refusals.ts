/** Reasons why Node starts no worker, with the line to write; runs on the thread that owns the pool. */

/** Error for a worker that could not be started, as users get it. */
export function refusal(error: unknown, isUsers: boolean): unknown {
  const { code, name, message } = Object(error) as { code?: unknown; name?: unknown; message?: unknown };
  if (code === 'ERR_ACCESS_DENIED') {
    const what =
      "furcate: Node's permission model lets this process start no threads. Start it with --allow-worker beside --permission.";
    return Object.assign(new Error(what, { cause: error }), { code });
  }
  // webpack replaces `new Worker(...)`, but takes the import of `node:worker_threads` for unused.
  const isMiscompiled =
    isUsers && (name === 'TypeError' || name === 'ReferenceError') && !String(message).startsWith('furcate: ');
  if (!isMiscompiled) return error;
  const what = `furcate: createWorker() threw a ${name}: ${message}. If webpack made this program, import Worker from 'worker_threads' there: webpack does not compile new Worker(...) of 'node:worker_threads'.`;
  return new TypeError(what, { cause: error });
}
