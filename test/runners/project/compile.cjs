// Compiles TypeScript for Jest, as ts-jest and Babel do.
const ts = require('typescript');

module.exports = {
  process: (text, fileName, { supportsStaticESM }) => {
    const module = supportsStaticESM ? ts.ModuleKind.ESNext : ts.ModuleKind.CommonJS;
    const compilerOptions = { module, target: ts.ScriptTarget.ES2022, inlineSourceMap: true };
    return { code: ts.transpileModule(text, { compilerOptions, fileName }).outputText };
  },
};
