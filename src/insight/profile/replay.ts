/**
 * Time that a program takes on P threads: its course, replayed in virtual time by a simulation of the scheduler; on the thread that called `profile`.
 *
 * A simulated thread runs a task strand by strand. A fork puts the task on the thread's deque. A join of a task that nobody has begun runs it in place. Otherwise the
 * thread helps meanwhile: with its own newest task, or with the oldest of another thread. A thief begins `stealUs` after it was free, and a join that waited goes on `returnUs`
 * after the end of its task. Time between calls passes before the call. Units of an algorithm, and nodes of a graph, are taken piece by piece by whoever is free. Threads look for work in the order of their numbers, so
 * a replay always gives the same.
 */
import { Agenda } from './agenda.js';
import { type Course, kindOf, type StageCourse } from './course.js';
import type { Assumptions } from './evaluation.js';
import { Pieces } from './pieces.js';

/** Courses with more strands are not replayed: it would take too long for a plot. */
const MOST_STRANDS = 20_000;
/** Joins that wait nest so many tasks of other threads. */
const MOST_NESTED = 4;

/** A task, or pieces of a stage that others may take. */
interface SimulatedWork {
  readonly course: Course | undefined;
  readonly pieces: Pieces | undefined;
  state: 'waits' | 'runs' | 'done';
  /** The thread whose join waits for it. */
  waiting: SimulatedThread | undefined;
}

/** A task on the stack of a thread, or what it does of a stage. */
interface SimulatedFrame {
  readonly work: SimulatedWork;
  /** The next strand. */
  next: number;
  readonly forks: SimulatedWork[];
  readonly beside: SimulatedWork[];
  /** Of a stage: the piece that runs. */
  node: number | undefined;
  /** Work that it waits for: a task, or a stage. */
  awaits: SimulatedWork | undefined;
  /** True if it is of another thread, and a join waits below it. */
  isNested: boolean;
}

interface SimulatedThread {
  readonly number: number;
  readonly deque: SimulatedWork[];
  readonly stack: SimulatedFrame[];
  /** True if it has nothing to do, so that a fork wakes it. */
  isIdle: boolean;
  /** Tasks of other threads that its joins nest. */
  nested: number;
}

const frameOf = (work: SimulatedWork): SimulatedFrame => ({
  work,
  next: 0,
  forks: [],
  beside: [],
  node: undefined,
  awaits: undefined,
  isNested: false,
});

const workOf = (course: Course | undefined, pieces?: Pieces): SimulatedWork => ({
  course,
  pieces,
  state: 'waits',
  waiting: undefined,
});

/** Time between calls before a step of the program. */
function betweenBefore({ steps, between }: Course, step: number): number {
  const next = steps[step];
  return next?.kind === 'fork' ? (between[next.at] as number) : 0;
}

function pop(thread: SimulatedThread): void {
  if (thread.stack.pop()?.isNested === true) thread.nested--;
}

class Replay {
  readonly #assumptions: Assumptions;
  readonly #program: Course;
  readonly #agenda = new Agenda<SimulatedThread>();
  readonly #threads: readonly SimulatedThread[];
  /** Stands for the thread that called `profile`: it forks invocations, and helps nobody. */
  readonly #caller: SimulatedThread;
  #endUs = 0;

  constructor(program: Course, threads: number, assumptions: Assumptions) {
    this.#program = program;
    this.#assumptions = assumptions;
    this.#threads = Array.from({ length: threads + 1 }, (_, number) => ({
      number,
      deque: [],
      stack: [],
      isIdle: number < threads,
      nested: 0,
    }));
    this.#caller = this.#threads[threads] as SimulatedThread;
  }

  /** @returns when the program has ended (us) */
  run(): number {
    this.#caller.stack.push(frameOf({ ...workOf(this.#program), state: 'runs' }));
    this.#begin(this.#caller, 0);
    for (let entry = this.#agenda.take(); entry !== undefined; entry = this.#agenda.take()) {
      const [us, , thread] = entry;
      this.#step(thread, us);
    }
    return this.#endUs;
  }

  /** The thread begins the next strand, or piece, of its top frame. */
  #begin(thread: SimulatedThread, us: number): void {
    const { work, next } = thread.stack.at(-1) as SimulatedFrame;
    const { course } = work;
    if (course === undefined) {
      this.#takePiece(thread, us);
      return;
    }
    const cost = thread === this.#caller ? betweenBefore(course, next) : this.#costOf(course, next);
    this.#agenda.add(us + cost, thread);
  }

  #costOf(course: Course, strand: number): number {
    return Math.max(0, (course.costs[strand] as number) - this.#assumptions.lessUs(kindOf(course, strand)));
  }

  #takePiece(thread: SimulatedThread, us: number): void {
    const frame = thread.stack.at(-1) as SimulatedFrame;
    const pieces = frame.work.pieces as Pieces;
    const piece = pieces.take();
    if (piece === undefined) {
      pop(thread);
      this.#goOn(thread, us);
      return;
    }
    frame.node = piece[0];
    this.#agenda.add(us + piece[1], thread);
  }

  /** A strand or piece of the top frame has ended, or a sleeper has woken. */
  #step(thread: SimulatedThread, us: number): void {
    const frame = thread.stack.at(-1);
    if (frame === undefined || frame.awaits !== undefined) {
      this.#goOn(thread, us);
      return;
    }
    const { course, pieces } = frame.work;
    if (course === undefined) {
      const { node } = frame;
      if (node === undefined) {
        this.#takePiece(thread, us); // a thief, which begins
        return;
      }
      frame.node = undefined;
      const ready = (pieces as Pieces).ended(node);
      for (let k = 0; k < ready; k++) this.#wake(us);
      if ((pieces as Pieces).isDone) this.#ended(frame.work, us, thread);
      this.#takePiece(thread, us);
      return;
    }
    const step = course.steps[frame.next];
    if (step === undefined) {
      const left = [...frame.forks, ...frame.beside].find(({ state }) => state !== 'done');
      if (left !== undefined) {
        this.#join(thread, left, us);
        return;
      }
      pop(thread);
      if (thread === this.#caller) this.#endUs = us;
      this.#ended(frame.work, us, thread);
      this.#goOn(thread, us);
      return;
    }
    if (step.kind === 'fork') {
      const child = workOf(course.children[step.at]);
      if (child.course === undefined)
        child.state = 'done'; // nobody has joined it, or too much was noted
      else {
        thread.deque.push(child);
        this.#wake(us);
      }
      frame.forks[step.at] = child;
    } else if (step.kind === 'join') {
      const child = frame.forks[step.at];
      if (child !== undefined && child.state !== 'done') {
        this.#join(thread, child, us);
        return;
      }
    } else if (step.kind === 'joinBeside') {
      const child = frame.forks[step.at];
      if (child !== undefined) frame.beside.push(child);
    } else if (step.kind === 'meet') {
      const left = frame.beside.find(({ state }) => state !== 'done');
      if (left !== undefined) {
        this.#join(thread, left, us);
        return;
      }
      frame.beside.length = 0;
    } else if (step.kind === 'stage') {
      frame.next++;
      this.#stage(thread, course.stages[step.at] as StageCourse, us);
      return;
    }
    frame.next++;
    this.#begin(thread, us);
  }

  /** The thread shares the pieces of a stage, and takes some itself unless it is the caller. */
  #stage(thread: SimulatedThread, stage: StageCourse, us: number): void {
    const pieces = new Pieces(stage, this.#assumptions.lessUs('stage stage'));
    const work = { ...workOf(undefined, pieces), state: 'runs' as const };
    if (pieces.isDone) {
      this.#begin(thread, us);
      return;
    }
    (thread.stack.at(-1) as SimulatedFrame).awaits = work;
    work.waiting = thread;
    thread.deque.push(work);
    for (let k = 0; k < this.#threads.length; k++) this.#wake(us);
    this.#goOn(thread, us);
  }

  /** The top frame waits for a task: runs it in place if nobody has begun it. */
  #join(thread: SimulatedThread, child: SimulatedWork, us: number): void {
    const at = thread === this.#caller || child.state === 'runs' ? -1 : thread.deque.indexOf(child);
    if (at >= 0) {
      thread.deque.splice(at, 1);
      child.state = 'runs';
      thread.stack.push(frameOf(child));
      this.#begin(thread, us);
      return;
    }
    (thread.stack.at(-1) as SimulatedFrame).awaits = child;
    child.waiting = thread;
    this.#goOn(thread, us);
  }

  /** A task, or a stage, has ended. */
  #ended(work: SimulatedWork, us: number, by: SimulatedThread): void {
    work.state = 'done';
    const { waiting } = work;
    if (waiting === undefined || !waiting.isIdle || waiting === by) return;
    waiting.isIdle = false;
    this.#agenda.add(us + (waiting === this.#caller ? 0 : this.#assumptions.returnUs), waiting);
  }

  /** The thread goes on with its stack, or looks for something. */
  #goOn(thread: SimulatedThread, us: number): void {
    const frame = thread.stack.at(-1);
    if (frame !== undefined && frame.awaits === undefined) {
      if (frame.work.course !== undefined)
        this.#agenda.add(us, thread); // the step at which it was interrupted
      else this.#takePiece(thread, us);
      return;
    }
    if (frame?.awaits?.state === 'done') {
      const isStage = frame.awaits.pieces !== undefined;
      frame.awaits = undefined;
      if (isStage) this.#begin(thread, us);
      else this.#agenda.add(us, thread); // the join again, which finds it
      return;
    }
    if (thread === this.#caller || !this.#find(thread, us)) thread.isIdle = true;
  }

  /** Takes the newest task of the thread itself, or the oldest of another. */
  #find(thread: SimulatedThread, us: number): boolean {
    const own = this.#lookInto(thread, thread);
    if (own !== undefined) {
      thread.stack.push(frameOf(own));
      this.#begin(thread, us);
      return true;
    }
    if (thread.stack.length > 0 && thread.nested >= MOST_NESTED) return false;
    const count = this.#threads.length;
    for (let k = 1; k < count; k++) {
      const victim = this.#threads[(thread.number + k) % count] as SimulatedThread;
      const found = this.#lookInto(victim, thread);
      if (found === undefined) continue;
      const isNested = thread.stack.length > 0;
      thread.stack.push({ ...frameOf(found), isNested });
      thread.nested += Number(isNested);
      const { course } = found;
      const first = course === undefined ? 0 : this.#costOf(course, 0);
      const stealUs = victim === this.#caller ? 0 : this.#assumptions.stealUs;
      this.#agenda.add(us + stealUs + first, thread);
      return true;
    }
    return false;
  }

  /** A task of a deque, or a stage with pieces. */
  #lookInto({ deque }: SimulatedThread, by: SimulatedThread): SimulatedWork | undefined {
    const isOwn = deque === by.deque;
    for (let k = 0; k < deque.length; k++) {
      const at = isOwn ? deque.length - 1 - k : k;
      const work = deque[at] as SimulatedWork;
      if (work.pieces?.hasReady === true) return work;
      if (work.pieces?.isDone === false) continue;
      deque.splice(at, 1);
      if (work.pieces === undefined) {
        work.state = 'runs';
        return work;
      }
      k--;
    }
    return undefined;
  }

  /** There is something to take: a thread that has nothing to do takes it. */
  #wake(us: number): void {
    for (const thread of this.#threads) {
      if (!thread.isIdle || thread === this.#caller) continue;
      if (!this.#find(thread, us)) continue;
      thread.isIdle = false;
      return;
    }
  }
}

function strandsIn(program: Course): number {
  let count = 0;
  const open = [program];
  for (let course = open.pop(); course !== undefined; course = open.pop()) {
    count += course.costs.length;
    for (const child of course.children) if (child !== undefined) open.push(child);
  }
  return count;
}

/** Time that a program takes on so many threads (us), remembered; undefined if it is too large to be replayed. */
export function replaysOf(program: Course, assumptions: Assumptions): ((threads: number) => number) | undefined {
  if (strandsIn(program) > MOST_STRANDS) return undefined;
  const known = new Map<number, number>();
  return (threads) => {
    let us = known.get(threads);
    if (us === undefined) {
      us = new Replay(program, threads, assumptions).run();
      known.set(threads, us);
    }
    return us;
  };
}
