/** Fields of an activation that are not put back; all.ts says how. */
import { assignment, binary, type Change, call, drop, ifOn, last, replace } from '../../../scripts/changes/index.js';
import type { Mutation } from './mutation.js';

const ACTIVATION = 'src/core/worker/activation.ts';

/** A field that the end of an activation forgets. */
const forgotten = (field: string, change: Change, caughtBy = 'on another slot'): Mutation => ({
  name: `${field} is not put back at the end of an activation`,
  changes: [change],
  caughtBy: `activation: ${caughtBy}`,
});

const ofStack = ['base', 'split', 'floor', 'requests'] as const;
const ofThread = ['own', 'pool', 'nestedSteals', 'nestedOwn', 'below'] as const;
const ofAttachment = ['dependencies', 'race', 'running'] as const;

export const ACTIVATION_MUTATIONS: readonly Mutation[] = [
  forgotten('sp', replace(ACTIVATION, 'leave', binary('>', 'local.sp'), '$1 < $2')),
  ...ofStack.map((field) => forgotten(field, drop(ACTIVATION, 'leave', assignment(`local.${field}`)))),
  ...ofThread.map((field) => forgotten(field, drop(ACTIVATION, 'leave', assignment(`thread.${field}`)))),
  ...ofAttachment.map((field) => forgotten(field, drop(ACTIVATION, 'putBack', assignment(`thread.${field}`)))),
  forgotten('invocation', drop(ACTIVATION, 'putBack', call('name')), 'without a pool'),
  forgotten('attachment', drop(ACTIVATION, 'leave', call('putBack'))),
  {
    name: 'nothing is put back after a task of others',
    changes: [drop(ACTIVATION, 'detach', call('putBack'))],
    caughtBy: 'activation: a task of others',
  },
  {
    name: 'a thread that has run its last task does not leave its stack',
    changes: [drop(ACTIVATION, 'detach', ifOn('NO_INVOCATION'))],
    caughtBy: 'activation: a task of others',
  },
  {
    name: 'what was published from above is private again below',
    changes: [drop(ACTIVATION, 'within', assignment('under.split'))],
    caughtBy: 'activation: what is below',
  },
  {
    name: 'the attachment is not put back after something was done for what is below',
    changes: [drop(ACTIVATION, 'within', last(call('Object.assign')))],
    caughtBy: 'activation: what is below',
  },
  ...['local.sp', 'local.split'].map((field) => ({
    name: `${field.split('.')[1]} is not put back after something was done for what is below`,
    changes: [drop(ACTIVATION, 'within', last(assignment(field)))],
    caughtBy: 'activation: what is below',
  })),
];
