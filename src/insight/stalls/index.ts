/** The part `stalls`: tells of tasks that keep others waiting; runs on threads that own pools, once something has been in flight for some time. */
import { install, type StallHome } from '../../core/engine.js';
import { StallWatch } from './watch.js';

const watches = new WeakMap<object, StallWatch>();

install({
  guard(home) {
    let watch = watches.get(home);
    if (watch === undefined) {
      watch = new StallWatch(home as StallHome);
      watches.set(home, watch);
    }
    watch.look();
  },
});
