/** Fields of an activation that are not put back; all.ts says how. */
import type { Mutation } from './mutation.js';

const ACTIVATION = 'src/core/worker/activation.ts';

/** A field that the end of an activation forgets. */
const forgotten = (field: string, line: string, caughtBy = 'on another slot'): Mutation => ({
  name: `${field} is not put back at the end of an activation`,
  file: ACTIVATION,
  from: line,
  to: '',
  caughtBy: `activation: ${caughtBy}`,
});

const REST_OF_LEAVE = '  thread.nestedSteals = under.nestedSteals;';

export const ACTIVATION_MUTATIONS: readonly Mutation[] = [
  { ...forgotten('sp', 'while (local.sp > under.sp)'), to: 'while (local.sp < under.sp)' },
  forgotten('base', '  local.base = under.base;\n'),
  { ...forgotten('split', '  local.split = under.split;\n  local.floor'), to: '  local.floor' },
  forgotten('floor', '  local.floor = under.floor;\n'),
  forgotten('requests', '  local.requests = under.requests;\n'),
  forgotten('own', '  thread.own = under.own;\n'),
  forgotten('pool', '  thread.pool = under.pool;\n'),
  forgotten('nestedSteals', `${REST_OF_LEAVE}\n`),
  forgotten('nestedOwn', '  thread.nestedOwn = under.nestedOwn;\n'),
  forgotten('below', '  thread.below = under.below;\n'),
  {
    ...forgotten('dependencies', `  thread.dependencies = under.dependencies;\n${REST_OF_LEAVE}`),
    to: REST_OF_LEAVE,
  },
  forgotten('invocation', '  name(under.invocation);\n', 'without a pool'),
  {
    name: 'dependencies are not put back after a task of others',
    file: ACTIVATION,
    from: '  thread.dependencies = dependencies;\n  if (invocation === NO_INVOCATION) leaveStack();',
    to: '  if (invocation === NO_INVOCATION) leaveStack();',
    caughtBy: 'activation: a task of others',
  },
  {
    name: 'the invocation is not put back after a task of others',
    file: ACTIVATION,
    from: '  name(invocation);\n',
    to: '',
    caughtBy: 'activation: a task of others',
  },
  {
    name: 'a thread that has run its last task does not leave its stack',
    file: ACTIVATION,
    from: '  if (invocation === NO_INVOCATION) leaveStack();\n',
    to: '',
    caughtBy: 'activation: a task of others',
  },
  {
    name: 'what was published from above is private again below',
    file: ACTIVATION,
    from: '    under.split = local.split;\n',
    to: '',
    caughtBy: 'activation: what is below',
  },
  ...(['sp', 'split'] as const).map((field) => ({
    name: `${field} is not put back after something was done for what is below`,
    file: ACTIVATION,
    from: `    local.${field} = ${field};\n`,
    to: '',
    caughtBy: 'activation: what is below',
  })),
  ...(['invocation', 'dependencies'] as const).map((field) => ({
    name: `${field} is not put back after something was done for what is below`,
    file: ACTIVATION,
    from: `    thread.${field} = ${field};\n`,
    to: '',
    caughtBy: 'activation: what is below',
  })),
];
