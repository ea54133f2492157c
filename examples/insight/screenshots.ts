/** Takes pictures of a page with a headless Chromium, if there is one. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome'];

const program = (): string | undefined =>
  PROGRAMS.flatMap((name) => (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name))).find(
    (path) => existsSync(path),
  );

/** A page that shows another one in a frame, whose style decides between light and dark. */
const framed = (url: string, scheme: string): string =>
  `<!doctype html><style>body{margin:0}iframe{border:0;width:100vw;height:100vh;color-scheme:${scheme}}</style><iframe src="${url}"></iframe>`;

export interface Picture {
  readonly scheme: 'light' | 'dark';
  readonly width: number;
  readonly height: number;
  readonly path: string;
}

/** @returns whether there is a browser that can do it */
export function takePictures(page: string, pictures: readonly Picture[]): boolean {
  const browser = program();
  if (browser === undefined) return false;
  const folder = mkdtempSync(join(tmpdir(), 'furcate-pictures-'));
  try {
    for (const { scheme, width, height, path } of pictures) {
      const frame = join(folder, `${scheme}.html`);
      writeFileSync(frame, framed(pathToFileURL(page).href, scheme));
      const flags = ['--headless', '--disable-gpu', '--hide-scrollbars', '--no-first-run', '--disable-dev-shm-usage'];
      const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
      execFileSync(
        browser,
        [
          ...flags,
          ...asRoot,
          `--user-data-dir=${join(folder, 'profile')}`,
          `--window-size=${width},${height}`,
          '--virtual-time-budget=5000',
          `--screenshot=${path}`,
          pathToFileURL(frame).href,
        ],
        { stdio: 'ignore', timeout: 60_000 },
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  return true;
}
