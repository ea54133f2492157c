/** Bundles the page and its worker with esbuild, into a folder that any web server can serve. */
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const PAGE = fileURLToPath(new URL('./page', import.meta.url));

export async function buildPage(outFolder: string): Promise<void> {
  await rm(outFolder, { recursive: true, force: true });
  await mkdir(outFolder, { recursive: true });
  await build({
    entryPoints: [join(PAGE, 'app.ts'), join(PAGE, 'worker.ts')],
    outdir: outFolder,
    bundle: true,
    splitting: true, // the page and its workers share the library's file
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    sourcemap: true,
    logLevel: 'warning',
  });
  for (const file of ['index.html', 'style.css']) await copyFile(join(PAGE, file), join(outFolder, file));
}
