/** What the package ships beside the build, and what it says of itself on npm. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packed } from '../../scripts/sizes.js';
import { ROOT } from '../helpers/project-files.js';

const PROJECT = 'https://github.com/furcate/furcate';

/** A link of a Markdown file that leads to another file of the project, without what follows `#`. */
const RELATIVE_LINK = /\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g;

const shippedFiles = (): string[] => packed().files.map(({ path }) => path);

test('the package ships whatever its README links to', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const linked = [...readme.matchAll(RELATIVE_LINK)].map((match) => match[1] as string);
  expect(linked).toContain('LICENSE');
  expect(shippedFiles()).toEqual(expect.arrayContaining(linked));
});

test('the package ships no source, no test and nothing of another build', () => {
  const others = shippedFiles().filter(
    (path) => !/^(dist\/[\w.]+|docs\/[\w-]+\.md|benchmarks\/README\.md|[A-Z]+(\.md)?|package\.json)$/.test(path),
  );
  expect(others).toEqual([]);
});

test('the package names its repository, its home page and where bugs go', () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<string, unknown>;
  expect(manifest).toMatchObject({
    repository: { type: 'git', url: `git+${PROJECT}.git` },
    homepage: `${PROJECT}#readme`,
    bugs: `${PROJECT}/issues`,
  });
});
