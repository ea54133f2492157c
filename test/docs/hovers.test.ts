/** Tests that what editors show of the methods of pipelines, graphs and pools says what each parameter is. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { ROOT } from '../helpers/project-files.js';

const OWNERS: Readonly<Record<string, string>> = {
  Pipeline: 'src/flows/pipeline/pipeline-type.ts',
  GraphBuilder: 'src/flows/graph/builder.ts',
  TaskGraph: 'src/flows/graph/graph.ts',
  GraphRunner: 'src/flows/graph/graph.ts',
  SharedBest: 'src/flows/best/shared-best.ts',
  SharedWindow: 'src/flows/best/shared-window.ts',
  RandomStreams: 'src/algorithms/random/random-streams.ts',
  RandomStream: 'src/algorithms/random/random-streams.ts',
  ForkJoinPool: 'src/core/pool/fork-join-pool.ts',
  Scope: 'src/core/task/async-task.ts',
};

/** Methods with a parameter that no `@param` of any of their signatures names. Parameters that count signatures are not for users. */
function undocumented(owner: string, text: string): string[] {
  const file = ts.createSourceFile('file.ts', text, ts.ScriptTarget.ESNext, true);
  const members = file.statements.flatMap((node): readonly ts.Node[] =>
    (ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node)) && node.name?.text === owner ? node.members : [],
  );
  const methods = new Map<string, { told: Set<string>; taken: Set<string> }>();
  for (const member of members) {
    if (!(ts.isMethodSignature(member) || ts.isMethodDeclaration(member)) || !ts.isIdentifier(member.name)) continue;
    const tags = ts.getJSDocTags(member);
    if (tags.some(({ tagName }) => tagName.text === 'internal')) continue;
    const { told, taken } = methods.get(member.name.text) ?? { told: new Set(), taken: new Set() };
    methods.set(member.name.text, { told, taken });
    for (const tag of tags) if (ts.isJSDocParameterTag(tag)) told.add(tag.name.getText(file));
    for (const { name } of member.parameters) taken.add(name.getText(file));
  }
  return [...methods].flatMap(([name, { told, taken }]) =>
    [...taken].filter((one) => one !== 'only' && !told.has(one)).map((one) => `${owner}.${name}: ${one}`),
  );
}

test.each(Object.entries(OWNERS))('every parameter of the methods of %s is described', (owner, path) => {
  expect(undocumented(owner, readFileSync(join(ROOT, path), 'utf8'))).toEqual([]);
});

test('a parameter without a description is reported, and a class that is not there has no methods', () => {
  const text = 'interface A {\n  /** @param a is */\n  f(a: 1): void;\n  f(a: 1, b: 2, ...only: []): void;\n}';
  expect(undocumented('A', text)).toEqual(['A.f: b']);
});
