/** The package as its sources, for tests and fixtures that import `furcate` in the stage `source`. */
import { registerHost } from '../../src/core/platform/host.js';
import { detectNode } from '../../src/core/platform/node.js';

registerHost(detectNode);

export * from '../../src/api.js';
