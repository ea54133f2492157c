/**
 * `furcate/worker/complete`, in the place of `furcate/worker`, for pages whose Content Security Policy forbids compiling texts: it has all
 * parts of the library. Other workers compile the texts of those that the page uses.
 */
import { all } from './parts.js';
import { runtime } from './runtime.js';

for (const [name, source, later] of all) runtime.provide(name, source, later);
runtime.core.serveWhenSpawned();
