/** Where Node has the parts: in files beside this one. For bundlers the build writes a module that imports them. */
import { partFile } from './part-file.js';

export const core = partFile('core');
export const algorithms = partFile('algorithms');
export const kernelsReduce = partFile('kernelsReduce');
export const kernelsScan = partFile('kernelsScan');
export const kernelsFilter = partFile('kernelsFilter');
export const kernelsHistogram = partFile('kernelsHistogram');
export const kernelsSort = partFile('kernelsSort');
export const filter = partFile('filter');
export const group = partFile('group');
export const loops = partFile('loops');
export const reduce = partFile('reduce');
export const scan = partFile('scan');
export const search = partFile('search');
export const sort = partFile('sort');
