/** Starts the threads of the service. */

import { Worker, type WorkerOptions, workerData } from 'node:worker_threads';
import { asUserError } from '../../app/lifecycle/user-error.ts';

/**
 * The folder of the programs, src/infra, as built. A thread never runs the source: Node strips its
 * types by WebAssembly, and V8 can crash when several threads do so at once (it races with itself
 * over the wrappers of the module's imports).
 */
const PROGRAMS = import.meta.filename.endsWith('.ts') ? '../../../dist/infra/' : '../';

/**
 * The limit of the young generation of a thread whose objects become garbage at once, such as those of a batch:
 * on a machine with much memory, V8 would let 100 MB of them accumulate in one thread.
 */
export const SMALL_NURSERY = { maxYoungGenerationSizeMb: 16 };

/** The longest wait for the end of a thread that was asked to end, in milliseconds. */
const END_WAIT_MS = 2_000;

/** The state of a thread, which its program and its owner share. */
type State = Int32Array<SharedArrayBuffer>;
const [LOADING, LOADED, ENDING] = [0, 1, 2];

/** The threads that run. */
const running = new Set<Thread>();

/**
 * A thread that ends itself between two tasks: Node.js aborts the whole process if a thread is
 * terminated at some points of the loading of modules, and of native code.
 */
class Thread extends Worker {
  readonly #state: State;
  readonly #exited = Promise.withResolvers<void>();

  constructor(program: URL, given: object, options: WorkerOptions) {
    const state: State = new Int32Array(new SharedArrayBuffer(4));
    super(program, { ...options, workerData: { ...given, state } });
    this.#state = state;
    running.add(this);
    this.once('exit', () => this.#hasExited());
    this.once('error', explain);
  }

  override async terminate(): Promise<number> {
    // Without the thread, nothing else may keep the process alive for so long.
    this.ref();
    await Atomics.waitAsync(this.#state, 0, LOADING).value;
    become(this.#state, ENDING);
    const late = setTimeout(this.#exited.resolve, END_WAIT_MS);
    await this.#exited.promise;
    clearTimeout(late);
    return super.terminate();
  }

  /** Ends the thread, and tells its owner nothing any more. */
  async abandon(): Promise<void> {
    this.removeAllListeners().on('error', () => undefined);
    this.once('exit', () => this.#hasExited());
    await this.terminate();
  }

  #hasExited(): void {
    running.delete(this);
    become(this.#state, ENDING);
    this.#exited.resolve();
  }
}

/** Gives the error of a thread that could not be set up words for people: Node's are those of the system. */
function explain(error: NodeJS.ErrnoException): void {
  if (error.code === 'ERR_WORKER_INIT_FAILED') error.message = notStarted(error);
}

function notStarted({ message }: Error): string {
  const [limit, setting] = /EMFILE|ENFILE/.test(message)
    ? ['open files', 'ulimit -n']
    : ['processes and threads', 'ulimit -u; pids.max of a container'];
  return `A thread cannot be started: ${message}. A limit of ${limit} may be too low (${setting}).`;
}

/** Called by each program as soon as it has loaded its modules: from then on its thread can end itself. */
export function loaded(): void {
  const { state } = workerData as { readonly state: State };
  become(state, LOADED);
  const { value } = Atomics.waitAsync(state, 0, LOADED);
  void Promise.resolve(value).then(() => process.exit());
}

function become(state: State, next: number): void {
  Atomics.store(state, 0, next);
  Atomics.notify(state, 0);
}

/**
 * Ends all threads, such as one that opens a store in a start that is stopped: the end of the process
 * would interrupt them. Their owners are told nothing any more.
 */
export async function endThreads(): Promise<void> {
  await Promise.all([...running].map((thread) => thread.abandon()));
}

/**
 * Starts a program in a thread of its own. It calls {@link loaded}. Throws {@link UserError} if the
 * system allows no further thread.
 * @param name The path of the program from src/infra, without its extension.
 */
export function startThread(
  name:
    | 'sqlite/writer-thread'
    | 'sqlite/side-reader-thread'
    | 'sqlite/tree-thread'
    | 'sqlite/check-thread'
    | 'sqlite/snapshot-thread'
    | 'postgres/tree-thread'
    | 'postgres/check-thread'
    | 'postgres/snapshot-thread',
  given: object,
  options: WorkerOptions = {},
): Worker {
  try {
    return new Thread(new URL(`${PROGRAMS}${name}.js`, import.meta.url), given, options);
  } catch (error) {
    throw asUserError(error, notStarted);
  }
}
