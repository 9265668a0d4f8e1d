/** The files of a monitor: its state, and beside it the rows that grow with the log. */

import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import type { SignedNote } from '../../app/audit/monitor/monitor-round.ts';
import { type MonitorState, readState } from '../../app/audit/monitor/monitor-state.ts';
import { ORDER_ROW_BYTES } from '../../app/audit/monitor/record-check.ts';
import { readUnproven, type Unproven } from '../../app/audit/monitor/unproven.ts';
import type { Verdict } from '../../app/audit/proofs/verifier.ts';
import { UserError } from '../../app/lifecycle/user-error.ts';
import { HASH_BYTES } from '../../app/log/merkle-tree.ts';
import type { MonitorFiles, Rows } from '../../app/ports/published-log.ts';
import { requirePlainText } from '../../infra/process/small-file.ts';
import { unwritable, writeWhole } from './new-file.ts';

/** Rows in a file that is readable by its owner only. */
class RowFile implements Rows {
  count: number;
  readonly #file: string;
  readonly #fd: number;
  readonly #rowBytes: number;

  constructor(file: string, rowBytes: number) {
    this.#file = file;
    this.#fd = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600);
    this.#rowBytes = rowBytes;
    this.count = Math.floor(fstatSync(this.#fd).size / rowBytes);
  }

  read(from: number, count: number): Buffer {
    const rows = Buffer.alloc(count * this.#rowBytes);
    for (let done = 0; done < rows.length; ) {
      const place = from * this.#rowBytes + done;
      const read = readSync(this.#fd, rows, done, rows.length - done, place);
      if (read === 0) throw new Error('the rows of the monitor end too early');
      done += read;
    }
    return rows;
  }

  write(at: number, rows: Buffer): void {
    const place = at * this.#rowBytes;
    this.#change(() => {
      if (at < this.count) ftruncateSync(this.#fd, place);
      for (let done = 0; done < rows.length; ) {
        done += writeSync(this.#fd, rows, done, rows.length - done, place + done);
      }
    });
    this.count = at + rows.length / this.#rowBytes;
  }

  sync(): void {
    this.#change(() => fsyncSync(this.#fd));
  }

  #change(work: () => void): void {
    try {
      work();
    } catch (error) {
      throw unwritable(this.#file, error);
    }
  }

  close(): void {
    closeSync(this.#fd);
  }
}

export class MonitorMemory implements MonitorFiles {
  readonly leaves: RowFile;
  readonly orders: RowFile;
  readonly #file: string;

  /** @param file The file of the state. The others are beside it. */
  constructor(file: string) {
    this.#file = file;
    try {
      this.leaves = new RowFile(`${file}.leaves`, HASH_BYTES);
      this.orders = new RowFile(`${file}.orders`, ORDER_ROW_BYTES);
    } catch (error) {
      throw unwritable(file, error);
    }
  }

  /** Returns the state; `undefined` before the first round. Throws {@link UserError}. */
  state(keys: readonly string[]): MonitorState | undefined {
    return valueIn(this.#file, (text) => readState(text, keys));
  }

  /** Returns the checkpoints that were not shown. Throws {@link UserError}. */
  unproven(keys: readonly string[]): readonly Unproven[] {
    return valueIn(this.#unprovenFile, (text) => readUnproven(text, keys)) ?? [];
  }

  async saveUnproven(checkpoints: string): Promise<void> {
    await writeWhole(this.#unprovenFile, [checkpoints], { force: true });
  }

  get #unprovenFile(): string {
    return `${this.#file}.unproven`;
  }

  async save(state: string): Promise<void> {
    this.leaves.sync();
    this.orders.sync();
    await writeWhole(this.#file, [state], { force: true });
  }

  /**
   * Writes a checkpoint into a file beside the state, and returns its name. The name has a hash of
   * the checkpoint in it, so that no other is ever overwritten.
   */
  async keep({ note, size }: SignedNote, of: 'fork' | 'cut' | 'refuted'): Promise<string> {
    const hash = createHash('sha256').update(note).digest('hex').slice(0, 16);
    const file = `${this.#file}.${of}-${size}-${hash}.checkpoint`;
    if (!existsSync(file)) await writeWhole(file, [note]);
    return file;
  }

  close(): void {
    this.leaves.close();
    this.orders.close();
  }
}

/** Returns the value in a file; `undefined` if there is none. Throws {@link UserError}. */
function valueIn<Value>(file: string, read: (text: string) => Verdict<Value>): Value | undefined {
  if (!existsSync(file)) return undefined;
  const verdict = read(requirePlainText(file));
  if (verdict.ok) return verdict.value;
  throw new UserError(
    `${file} cannot be used: ${verdict.reason}. Check --state and --vkey; or restore a copy of the file. ` +
      'Without it, what it remembers is never compared again.',
  );
}
