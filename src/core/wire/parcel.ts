/**
 * Tasks and outcomes as bytes for another process: what records are between threads, without shared memory; runs on any thread.
 *
 * The codec of records (task/codec.ts) names code by its number in the code table, and shared arrays by their place on the heap. Neither means
 * anything elsewhere. So a parcel names code by kind, module and name, and holds shared arrays by value: they arrive as shared arrays of the
 * other process. Both codecs copy values by the same rules, and refuse the same ones.
 */
import { Copier, openData } from '../code/data-copy.js';
import { sharedMark } from '../code/data-marks.js';
import {
  isBuiltin,
  isFunctionKind,
  type Registered,
  type RegisteredKind,
  registrationOf,
  registry,
} from '../code/registry.js';
import { codeTable } from '../code/table.js';
import { TaskRegistrationError } from '../errors.js';
import { isOnSharedMemory, type TypedArray } from '../memory/element-types.js';
import { host, type ViewCodec } from '../platform/host.js';
import { CallTask, isCallTask } from '../task/call-task.js';
import { fieldsOf } from '../task/codec.js';
import { ForkJoinTask, nameOf } from '../task/fork-join-task.js';
import { inResult, inTask } from '../task/shareable.js';
import { placeIn } from '../task/uncloneable.js';

/** Another version of the library may read parcels of this version. It changes when they do. */
export const WIRE_VERSION = 1;

/** How a task has ended: with a result, or with what it threw. */
export interface Outcome {
  readonly failed: boolean;
  readonly value: unknown;
}

/** Code that both processes know: its kind, the module that registers it, and its name there. */
type CodeName = readonly [kind: RegisteredKind, url: string, name: string];

/** The contents of a parcel. */
interface Contents {
  readonly version: number;
  /** Code in the values, by the numbers that stand for it there. */
  readonly codes: readonly (readonly [id: number, name: CodeName])[];
  readonly values: unknown;
}

/** Views cross as bytes. Those on shared memory have a mark in their place. */
const views: ViewCodec = {
  encode: () => undefined,
  decode: () => {
    throw new Error('furcate: a parcel holds no places of shared memory.');
  },
};

const sharedByValue = (rule: typeof inTask): typeof inTask => {
  return (value, what, where) => {
    const kept = rule(value, what, where);
    return ArrayBuffer.isView(kept) && isOnSharedMemory(kept) ? sharedMark(kept as TypedArray) : kept;
  };
};
const TASK_RULE = sharedByValue(inTask);
const RESULT_RULE = sharedByValue(inResult);

const bytesOf = (copier: Copier, values: unknown): Uint8Array => {
  const codes = [...copier.codes].map((id) => {
    const { kind, url, name } = codeTable().entry(id);
    return [id, [kind, url, name]] as never;
  });
  return host().serialize({ version: WIRE_VERSION, codes, values } satisfies Contents, views);
};

/** @throws Error for a parcel of another version */
function contentsOf(bytes: Uint8Array): Contents {
  const contents = host().deserialize(bytes, views) as Contents;
  if (contents.version === WIRE_VERSION) return contents;
  throw new Error(
    `furcate: a parcel of wire version ${contents.version} arrived at a process that reads version ${WIRE_VERSION}. Make both run the same version of furcate.`,
  );
}

/**
 * The code of that name in this process. Hosts may have the same module at different paths, so the only code of that kind and name will do.
 *
 * @throws TaskRegistrationError that lists what this process knows
 */
function codeOf([kind, url, name]: CodeName): Registered {
  const found = registry.byKey(kind, url, name) ?? registry.byNameOnly(kind, name);
  if (found !== undefined) return found;
  const known = registry.entries
    .filter((entry) => entry.kind === kind && !isBuiltin(entry.url))
    .map((entry) => `'${entry.name}'`);
  throw new TaskRegistrationError(
    `furcate: this process has no ${kind} '${name}'. It has ${known.length === 0 ? 'none' : known.join(', ')}: import the module that registers it (${url} where the task was made).`,
  );
}

const opened = ({ codes, values }: Contents): unknown => {
  const numbers = new Map(codes.map(([id, name]) => [id, codeTable().idOfRegistration(codeOf(name))]));
  return openData(values, { codeOf: (id) => numbers.get(id) ?? id });
};

/**
 * A task as bytes. It may have been made in any process that has its code.
 *
 * @throws NotShareableError that names the field or argument; TaskRegistrationError for a class that was not registered
 */
export function packTask(task: ForkJoinTask<unknown>): Uint8Array {
  const { kind, url, name } = isCallTask(task)
    ? (registry.functionEntries[task.index] as Registered)
    : registrationOf(task);
  const keys = isCallTask(task) ? task.args.map((_, k) => k) : fieldsOf(task);
  const of = (isCallTask(task) ? task.args : task) as unknown as Readonly<Record<string | number, unknown>>;
  const copier = new Copier();
  const copies = keys.map((key) => {
    const member = typeof key === 'number' ? `argument ${key + 1}` : `field '${key}'`;
    return [key, copier.copy(of[key], TASK_RULE, placeIn(`${member} of ${nameOf(task)}`))];
  });
  return bytesOf(copier, [[kind, url, name] satisfies CodeName, copies]);
}

/** @throws TaskRegistrationError where its code, or that of a value in it, is not registered here; Error for another wire version */
export function unpackTask(bytes: Uint8Array): ForkJoinTask<unknown> {
  const [code, contents] = opened(contentsOf(bytes)) as [CodeName, [key: string | number, value: unknown][]];
  const { kind, index, value } = codeOf(code);
  if (isFunctionKind(kind))
    return new CallTask(
      index,
      contents.map(([, argument]) => argument),
    );
  const task = Reflect.construct(ForkJoinTask, [], value as never) as ForkJoinTask<unknown>;
  return Object.assign(task, Object.fromEntries(contents)); // as records do it: no constructor runs
}

/** A value as bytes, by the rules for fields of tasks. @param what names it in errors. @throws NotShareableError */
export function packValue(value: unknown, what: string): Uint8Array {
  const copier = new Copier();
  return bytesOf(copier, copier.copy(value, TASK_RULE, placeIn(what)));
}

/** @throws as `unpackTask` */
export const unpackValue = (bytes: Uint8Array): unknown => opened(contentsOf(bytes));

/** An outcome as bytes. @throws NotShareableError for a result that cannot cross; what was thrown always can */
export function packOutcome({ failed, value }: Outcome): Uint8Array {
  const copier = new Copier();
  const copy = failed ? copier.thrown(value) : copier.copy(value, RESULT_RULE, placeIn('the result'));
  return bytesOf(copier, [failed, copy]);
}

/** @throws as `unpackTask` */
export function unpackOutcome(bytes: Uint8Array): Outcome {
  const [failed, value] = opened(contentsOf(bytes)) as [boolean, unknown];
  return { failed, value };
}
