/** A test file that cannot be loaded. */
import { test } from 'vitest';

test('is never reached', () => {});
throw new Error('no tests today');
