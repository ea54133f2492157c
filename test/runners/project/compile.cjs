// Compiles TypeScript for Jest, as ts-jest and Babel do.
const ts = require('typescript');

const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022, inlineSourceMap: true };

module.exports = {
  process: (text, fileName) => ({ code: ts.transpileModule(text, { compilerOptions, fileName }).outputText }),
};
