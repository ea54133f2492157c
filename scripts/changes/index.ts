/** Changes of the source for planted bugs and for unusual builds: anchors.ts says where they are made, change.ts what they do. */
export * from './anchors.js';
export * from './apply.js';
export * from './change.js';
