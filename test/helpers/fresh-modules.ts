/** Test files in one process do not share modules, whose state would outlive a file: each file evaluates them anew. */
import { vi } from 'vitest';

vi.resetModules();
