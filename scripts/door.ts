/**
 * Opens the door of the core for the build: an import of src/core/engine.ts becomes imports of the modules behind it. So a part contains what
 * its families use of the core, and nothing else that the door names.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';

const DOOR = join(fileURLToPath(new URL('..', import.meta.url)), 'src/core/engine.ts');

const parse = (text: string): ReturnType<typeof parseAst> => parseAst(text, { lang: 'ts' });

/** The modules that names of the door come from, as paths beside it. Types are nothing to a build. */
const behind = new Map<string, string>();
for (const node of parse(readFileSync(DOOR, 'utf8')).body) {
  if (node.type !== 'ExportNamedDeclaration' || node.source === null) continue;
  for (const { exported } of node.specifiers)
    if (exported.type === 'Identifier') behind.set(exported.name, node.source.value);
}

export function throughDoor(text: string): string {
  if (!text.includes('core/engine.js')) return text;
  return parse(text).body.reduceRight((rest, node) => {
    if (node.type !== 'ImportDeclaration' || !node.source.value.endsWith('core/engine.js')) return rest;
    const imports = node.specifiers.flatMap((one) => {
      if (one.type !== 'ImportSpecifier' || one.imported.type !== 'Identifier' || one.importKind === 'type') return [];
      const path = behind.get(one.imported.name);
      if (path === undefined) throw new Error(`the door of the core has no ${one.imported.name}`);
      const from = node.source.value.replace('engine.js', path.slice(2));
      return [`import { ${one.imported.name} as ${one.local.name} } from '${from}';`];
    });
    const isOfTypes = node.importKind === 'type';
    return rest.slice(0, node.start) + (isOfTypes ? '' : imports.join(' ')) + rest.slice(node.end);
  }, text);
}
