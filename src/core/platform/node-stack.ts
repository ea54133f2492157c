/** Stack traces of other threads of this process, by the inspector, which interrupts a thread for a moment; on the main thread of Node. */
import { timer } from './node-time.js';

/** Time that a thread may take to answer (milliseconds): one that the operating system blocks does not. On busy processors an answer took 0.2 s. */
const MOST_MS = 2000;

interface CallFrame {
  readonly functionName: string;
  readonly location: { readonly scriptId: string; readonly lineNumber: number; readonly columnNumber?: number };
}

/** A message of a thread's debugger. */
interface DebuggerMessage {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly scriptId: string; readonly url: string; readonly callFrames: readonly CallFrame[] };
}

const textOf = (frames: readonly CallFrame[], urls: ReadonlyMap<string, string>): string =>
  frames
    .map(({ functionName, location: { scriptId, lineNumber, columnNumber = 0 } }) => {
      const place = `${urls.get(scriptId) || '<anonymous>'}:${lineNumber + 1}:${columnNumber + 1}`;
      return `    at ${functionName === '' ? place : `${functionName} (${place})`}`;
    })
    .join('\n');

/** @returns undefined where the thread does not answer, or nothing can ask it */
export async function stackOf(threadId: number): Promise<string | undefined> {
  const { Session } = process.getBuiltinModule('node:inspector');
  const session = new Session();
  try {
    session.connect();
    return await new Promise((resolve, reject) => {
      let sessionId: string | undefined;
      let stack: string | undefined;
      const urls = new Map<string, string>();
      const stop = timer(MOST_MS, () => resolve(undefined));
      const tell = (method: string): void => {
        const message = JSON.stringify({ id: method === 'Debugger.disable' ? 1 : 0, method });
        session.post('NodeWorker.sendMessageToWorker', { sessionId: sessionId as string, message });
      };
      session.on('NodeWorker.attachedToWorker', ({ params }) => {
        if (Number(/\d+/.exec(params.workerInfo.title)?.[0]) !== threadId) return;
        sessionId = params.sessionId;
        tell('Debugger.enable');
        tell('Debugger.pause');
      });
      session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
        if (params.sessionId !== sessionId) return;
        const { id, method, params: told } = JSON.parse(params.message) as DebuggerMessage;
        if (method === 'Debugger.scriptParsed') urls.set(told?.scriptId ?? '', told?.url ?? '');
        else if (method === 'Debugger.paused') {
          stack = textOf(told?.callFrames ?? [], urls);
          tell('Debugger.resume');
          tell('Debugger.disable');
        } else if (id === 1) {
          stop();
          resolve(stack);
        }
      });
      session.post('NodeWorker.enable', { waitForDebuggerOnStart: false }, (error) => error && reject(error));
    });
  } catch {
    return undefined; // Bun, Deno, and threads that have no inspector
  } finally {
    session.disconnect();
  }
}
