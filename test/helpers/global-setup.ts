/** Vitest's global setup of the project "built": makes the build that those tests import as `furcate`, when it is stale. */
import { ensureBuild } from '../../scripts/build.js';

export default async function setup(): Promise<void> {
  await ensureBuild();
}
