/** What a page hears of a worker's file (createWorker) that cannot serve. */
import { ForkJoinPool } from 'furcate';
import { describe, expect, test } from 'vitest';

const onTheWeb = globalThis.location?.protocol === 'http:';

/** Makes workers of a text. */
const fileOf =
  (text: string): (() => Worker) =>
  () =>
    new Worker(URL.createObjectURL(new Blob([text], { type: 'text/javascript' })), { type: 'module' });

const startWith = async (text: string): Promise<string> => {
  const pool = new ForkJoinPool({ parallelism: 1, createWorker: fileOf(text) });
  const ended = await pool.ready().then(
    () => 'ready',
    ({ message }: Error) => message,
  );
  await pool.close();
  return ended;
};

const urlOf = (file: string): string => new URL(`../fixtures/${file}`, import.meta.url).href;

function onPages(): void {
  test('a syntax error is told with its file', async () => {
    expect(await startWith("import 'furcate/worker';\nconst wrong = ;")).toMatch(
      /a worker could not start: blob:http.* has a syntax error: .*;/,
    );
  });

  test('a syntax error in a module that it imports is told with the file of that', async () => {
    const wrong = URL.createObjectURL(new Blob(['const wrong = ;'], { type: 'text/javascript' }));
    expect(await startWith(`import '${urlOf('plain-worker.mjs')}';\nimport '${wrong}';`)).toMatch(
      `${wrong} has a syntax error: `,
    );
  });

  test('a module that is missing is told with its URL', async () => {
    expect(await startWith(`import '${urlOf('is-missing.mjs')}';`)).toMatch(
      /the server answers 404 to http:.*is-missing\.mjs/,
    );
  });

  test('a file without the library is told what to import, and no call waits for ever', async () => {
    expect(await startWith('export const nothing = 1;')).toMatch(/neither its file blob:.*: import 'furcate\/worker';/);
    expect(await startWith(`import '${urlOf('this-thread.mjs')}';`)).toMatch(
      /neither its file .* has 'furcate\/worker'/,
    );
    // It has the library, which loads modules and its own parts later.
    expect(await startWith(`import '${urlOf('endless.mjs')}';`)).toMatch(/neither its file .* has 'furcate\/worker'/);
  });

  test('a file that is slow serves, and nothing is warned of', async () => {
    const { warn } = console;
    const warned: unknown[] = [];
    console.warn = (text) => void warned.push(text);
    try {
      const worker = urlOf('plain-worker.mjs');
      const slow = `await new Promise((later) => setTimeout(later, 4000)); await import('${worker}');`;
      expect(await startWith(slow)).toBe('ready');
      expect(await startWith(`import '${worker}';`)).toBe('ready');
      expect(warned).toEqual([]);
    } finally {
      console.warn = warn;
    }
  });
}

if (onTheWeb) describe('a file of a worker', onPages);
else test('other hosts have no location on the Web', () => expect(globalThis.location?.protocol).not.toBe('http:'));
