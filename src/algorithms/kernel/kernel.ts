/** Inline functions bound to what they capture. The core compiles them, in a part that only algorithms load. */
import { kernel } from '../../core/engine.js';

export { kernel };
