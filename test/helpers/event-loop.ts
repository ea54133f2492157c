/** The event loop of this thread, on every runtime. */

/** One turn of the event loop: promises that are settled are seen, and tasks that were queued before have run. */
export function turn(): Promise<void> {
  if (typeof setImmediate === 'function') return new Promise((resolve) => setImmediate(resolve));
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(0);
  });
}

/**
 * Calls `listener` with each warning of the library, wherever this runtime shows warnings.
 * @returns stops it
 */
export function onWarning(listener: (message: string) => void): () => void {
  if (typeof process === 'undefined') {
    const { warn } = console;
    console.warn = (message: unknown) => listener(String(message));
    return () => {
      console.warn = warn;
    };
  }
  const hear = ({ message }: Error): void => listener(message);
  process.on('warning', hear);
  return () => void process.off('warning', hear);
}

type Target = { addEventListener(type: string, listener: (event: { reason: unknown }) => void): void } & {
  removeEventListener(type: string, listener: (event: { reason: unknown }) => void): void;
};

/**
 * Calls `listener` with each rejection that nobody handles.
 * @returns stops it
 */
export function onUnhandledRejection(listener: (reason: unknown) => void): () => void {
  const target = globalThis as unknown as Target;
  if (typeof target.addEventListener === 'function' && typeof process === 'undefined') {
    const hear = ({ reason }: { reason: unknown }): void => listener(reason);
    target.addEventListener('unhandledrejection', hear);
    return () => target.removeEventListener('unhandledrejection', hear);
  }
  process.on('unhandledRejection', listener);
  return () => void process.off('unhandledRejection', listener);
}
