/** The package as its sources, for tests and fixtures that import `furcate` in the stage `source`. */
import * as values from '../../src/algorithms/values/index.js';
import { enterPart } from '../../src/core/library/parts.js';
import { registerHost } from '../../src/core/platform/host.js';
import { detectNode } from '../../src/core/platform/node.js';

registerHost(detectNode);
enterPart('values', values);

export * from '../../src/index.js';
