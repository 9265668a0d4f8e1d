import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

/** Tracks everything that the bench starts or writes, so that none of it outlives the bench. */
const children = new Set<ChildProcess>();
const folders = new Set<string>();
const undos = new Set<() => void>();

process.once('exit', cleanUp);

/** Kills and removes everything that remains. */
export function cleanUp(): void {
  for (const undo of undos) undo();
  for (const child of children) child.kill('SIGKILL');
  for (const folder of folders) removeFolder(folder);
}

/** Makes signals end the bench through 'exit', which cleans everything up. */
export function cleanUpOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  }
}

/** Registers a cleanup for the end of the bench. Returns a function that runs it earlier. */
export function undoAtEnd(undo: () => void): () => void {
  undos.add(undo);
  return () => {
    undos.delete(undo);
    undo();
  };
}

/** Creates a temporary folder, which is removed at the end of the bench or earlier. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'store-orders-bench-'));
  folders.add(folder);
  return folder;
}

export function removeFolder(folder: string): void {
  folders.delete(folder);
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

/** Starts a program, which is stopped at the end of the bench at the latest. */
export function start(command: string, args: readonly string[], options: SpawnOptions) {
  const child = spawn(command, args, options);
  children.add(child);
  child.once('error', () => children.delete(child));
  child.once('exit', () => children.delete(child));
  return child;
}

/** The longest stop in milliseconds: the service saves a snapshot, of 62 bytes an order. */
const STOP_WITHIN_MS = 180_000;

/** Sends SIGTERM to a program and waits for its end; kills it if it does not react. */
export async function stop(child: ChildProcess): Promise<void> {
  if (!children.has(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const impatience = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
  await ended;
  clearTimeout(impatience);
}

/** Runs a program to its end, within a limit in seconds, and returns its output. */
export async function run(
  command: string,
  args: readonly string[],
  atMost: number,
): Promise<string> {
  const running = promisify(execFile)(command, args, {
    timeout: atMost * 1_000,
    killSignal: 'SIGKILL',
    maxBuffer: 2 ** 28,
  });
  children.add(running.child);
  try {
    return (await running).stdout;
  } catch (error) {
    // The error's own message contains the arguments, including the key.
    const { killed, stderr } = error as { killed?: boolean; stderr?: string };
    const why = killed ? `it took more than ${atMost} s` : (stderr ?? String(error)).trim();
    throw new Error(`${basename(command)} failed: ${why}`);
  } finally {
    children.delete(running.child);
  }
}

/** Runs one of the bench's programs in a Node process of its own. */
export async function runProgram<Result>(
  name: string,
  given: object,
  atMost: number,
): Promise<Result> {
  const program = join(import.meta.dirname, `${name}.ts`);
  const written = await run(process.execPath, [program, JSON.stringify(given)], atMost);
  return JSON.parse(written) as Result;
}
