/** A server that computes: a pool for the process, a signal and a time limit for each request, and errors as status codes in one place. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { CancellationError, type ForkJoinPool, RejectedExecutionError } from 'furcate';
import { BadRequest, countPrimes } from './server-tasks.mjs';

const statusOf = (error: unknown): number => {
  if (error instanceof BadRequest) return 400;
  if (RejectedExecutionError.is(error)) return 503;
  if (CancellationError.is(error)) return error.reason === 'timeout' ? 504 : 499;
  return 500;
};

async function respond(pool: ForkJoinPool, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => {
    gone.abort();
  });
  const limit = Number(new URL(request.url ?? '/', 'http://localhost').searchParams.get('limit') ?? 'none');
  try {
    const primes = await pool
      .with({ signal: gone.signal, timeoutMs: 10_000, graceMs: 1_000 })
      .invoke(countPrimes, limit);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ primes }));
  } catch (error) {
    response.writeHead(statusOf(error)).end(error instanceof Error ? error.message : 'unknown error');
  }
}

export function serve(pool: ForkJoinPool): Server {
  return createServer((request, response) => {
    void respond(pool, request, response);
  });
}
