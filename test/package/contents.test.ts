/** Checks which files the package ships, and its metadata for npm. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packed } from '../../scripts/sizes.js';
import { ROOT } from '../helpers/project-files.js';

const PROJECT = 'https://github.com/furcate/furcate';

/** A link of a Markdown file to another file of the project, without the fragment after `#`. */
const RELATIVE_LINK = /\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g;

const shippedFiles = packed().files.map(({ path }) => path);

test('the package ships every file that its README links to', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const linked = [...readme.matchAll(RELATIVE_LINK)].map((match) => match[1] as string);
  expect(linked).toContain('LICENSE');
  expect(shippedFiles).toEqual(expect.arrayContaining(linked));
});

test('the package ships no source, no test and no file of another build', () => {
  const others = shippedFiles.filter(
    (path) => !/^(dist\/[\w.]+|docs\/[\w-]+\.md|benchmarks\/README\.md|[A-Z]+(\.md)?|package\.json)$/.test(path),
  );
  expect(others).toEqual([]);
});

test('no file of the package names the folder that it was built in', () => {
  for (const path of shippedFiles) expect(readFileSync(join(ROOT, path), 'utf8'), path).not.toContain(ROOT);
});

test('the package names its repository, its home page and its bug tracker', () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<string, unknown>;
  expect(manifest).toMatchObject({
    repository: { type: 'git', url: `git+${PROJECT}.git` },
    homepage: `${PROJECT}#readme`,
    bugs: `${PROJECT}/issues`,
  });
});
