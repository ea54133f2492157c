/** Where Node has the parts: in files beside this one. For bundlers the build writes a module that imports them. */
import { partFile } from './part-file.js';

export const core = partFile('core');
export const algorithms = partFile('algorithms');
export const kernels = partFile('kernels');
export const filter = partFile('filter');
export const group = partFile('group');
export const loops = partFile('loops');
export const reduce = partFile('reduce');
export const scan = partFile('scan');
export const search = partFile('search');
export const sort = partFile('sort');
