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

/** Becomes 1 when a thread has loaded its modules. */
type Loaded = Int32Array<SharedArrayBuffer>;

/**
 * A thread that is not terminated before it has loaded its modules: Node.js aborts the whole process if the
 * loading is interrupted at some points, most of them in a module of Node-API.
 */
class Thread extends Worker {
  readonly #loaded: Loaded;

  constructor(program: URL, given: object, options: WorkerOptions) {
    const loaded: Loaded = new Int32Array(new SharedArrayBuffer(4));
    super(program, { ...options, workerData: { ...given, loaded } });
    this.#loaded = loaded;
    this.once('exit', () => mark(loaded));
  }

  override async terminate(): Promise<number> {
    // Without the thread, nothing else may keep the process alive for so long.
    this.ref();
    await Atomics.waitAsync(this.#loaded, 0, 0).value;
    return super.terminate();
  }
}

/** Called by each program as soon as it has loaded its modules: from then on its thread may be terminated. */
export function loaded(): void {
  mark((workerData as { readonly loaded: Loaded }).loaded);
}

function mark(loaded: Loaded): void {
  Atomics.store(loaded, 0, 1);
  Atomics.notify(loaded, 0);
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
    throw asUserError(
      error,
      ({ message }) =>
        `A thread cannot be started: ${message}. A limit of processes and threads may be too low ` +
        '(ulimit -u; pids.max of a container).',
    );
  }
}
