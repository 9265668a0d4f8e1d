import { createHash, hash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifyCosignatureBy } from '../../src/app/audit/proofs/cosignature.ts';
import { NoteSigner } from '../../src/app/audit/proving/checkpoint.ts';
import { witnessRequestText } from '../../src/app/audit/witness/witness-request.ts';
import { isNightly } from '../support/nightly.ts';
import { RawClient } from '../support/raw-client.ts';
import { newFolder, type Program, start } from '../support/service.ts';
import { leavesOf, seed, WitnessedLog } from '../support/witnessed-log.ts';

const log = new WitnessedLog(leavesOf(400));
const fork = new WitnessedLog(leavesOf(400, 'b'));
const NAME = 'witness.example/w1';
const LOG_PATH = `${hash('sha256', 'example.com/log')}/checkpoint`;

/** A witness in a process of its own, in a folder. */
class RunningWitness {
  readonly folder: string;
  readonly program: Program;
  address = '';
  vkey = '';

  private constructor(folder: string, options: readonly string[]) {
    const files = ['--db', 'w1.db', '--key', 'w1.key', '--log', log.signer.verifierKey];
    this.folder = folder;
    this.program = start(['witness', '--port', '0', ...files, ...options], folder);
  }

  static async start(folder: string, ...options: string[]): Promise<RunningWitness> {
    const witness = new RunningWitness(folder, options);
    const [, address = '', vkey = ''] = await witness.program.until(({ stderr }) => {
      return /answers at (\S+)\n.*\n(\S+)\n/.exec(stderr) ?? undefined;
    });
    witness.address = address;
    witness.vkey = vkey;
    return witness;
  }

  async submit(body: string | Uint8Array<ArrayBuffer>) {
    const res = await fetch(`${this.address}/add-checkpoint`, { method: 'POST', body });
    return { status: res.status, type: res.headers.get('content-type'), text: await res.text() };
  }

  get(path: string): Promise<Response> {
    return fetch(`${this.address}/${path}`);
  }
}

/** Runs a witness that cannot start, and returns its exit code and what it says. */
async function refused(folder: string, ...options: string[]) {
  const program = start(['witness', '--log', log.signer.verifierKey, ...options], folder);
  return { code: await program.ended(), text: program.stderr };
}

describe('A witness', () => {
  const folder = newFolder();
  let witness: RunningWitness;
  beforeAll(async () => {
    witness = await RunningWitness.start(folder, '--name', NAME);
  });

  it('makes its key for its owner alone, and shows the public half', () => {
    expect(witness.vkey).toMatch(/^witness\.example\/w1\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}$/);
    const key = readFileSync(join(folder, 'w1.key'), 'utf8');
    expect(key).toMatch(/^PRIVATE\+KEY\+witness\.example\/w1\+\S+\n$/);
    for (const file of ['w1.key', 'w1.db', 'w1.db-wal']) {
      expect(statSync(join(folder, file)).mode & 0o777, file).toBe(0o600);
    }
    const { stdout, stderr } = witness.program;
    expect(stdout + stderr).not.toContain('PRIVATE');
  });

  it('answers with the statuses of the specification', async () => {
    expect((await witness.get(LOG_PATH)).status).toBe(404);
    const first = await witness.submit(log.request(0, 3));
    expect(first).toMatchObject({ status: 200, type: 'text/plain; charset=utf-8' });
    expect(verifyCosignatureBy(log.note(3) + first.text, witness.vkey)).toMatchObject({
      ok: true,
      value: expect.any(Number),
    });
    const served = await witness.get(LOG_PATH);
    expect([served.status, await served.text()]).toEqual([200, log.note(3) + first.text]);

    expect(await witness.submit(log.request(0, 5))).toEqual({
      status: 409,
      type: 'text/x.tlog.size',
      text: '3\n',
    });
    const stranger = new WitnessedLog(log.leaves, new NoteSigner('example.com/new', seed(8)));
    const forger = new WitnessedLog(log.leaves, new NoteSigner('example.com/log', seed(9)));
    const unproven = witnessRequestText({ oldSize: 3, proof: [], note: log.note(9) });
    for (const [body, status, reason] of [
      [stranger.request(0, 3), 404, 'the log is not known to this witness.'],
      [forger.request(3, 9), 403, 'the checkpoint is not signed with a key of its log.'],
      [log.request(9, 3), 400, 'the old size is larger than the checkpoint.'],
      ['', 400, 'the body is not "old SIZE", at most 63 hashes, and a checkpoint.'],
      [new Uint8Array([0xff]), 400, 'The body is not UTF-8.'],
      [unproven, 422, 'the proof is empty.'],
      [fork.request(3, 9), 422, 'the proof does not lead to the older root.'],
      [fork.request(3, 3), 422, 'one size has two roots.'],
    ] as const) {
      const answer = await witness.submit(body);
      expect(answer).toMatchObject({ status, type: 'application/json; charset=utf-8' });
      expect(JSON.parse(answer.text)).toMatchObject({ message: reason, status });
    }
    await expect
      .poll(() => witness.program.log.filter(({ level }) => level === 40))
      .toMatchObject([
        { reason: 'the proof is empty' },
        {
          reason: 'the proof does not lead to the older root',
          checkpoint: expect.stringContaining('example.com/log\n9\n'),
        },
        { reason: 'one size has two roots' },
      ]);
    const logged = witness.program.log.filter(({ level }) => level === 40);
    expect(logged.map(({ checkpoint, cosigned }) => [checkpoint, cosigned])).toEqual(
      [log.note(9), fork.note(9), fork.note(3)].map((note) => [note, log.note(3) + first.text]),
    );
    // Nothing of that has moved it.
    expect(await (await witness.get(LOG_PATH)).text()).toBe(log.note(3) + first.text);
    expect(await witness.submit(log.request(3, 9))).toMatchObject({ status: 200 });
  });

  it('has no other addresses, methods, and no longer bodies', async () => {
    expect((await witness.get('add-checkpoint')).headers.get('allow')).toBe('OPTIONS, POST');
    expect((await witness.get(LOG_PATH.toUpperCase())).status).toBe(404);
    expect((await witness.get(`${createHash('sha256').digest('hex')}/checkpoint`)).status).toBe(
      404,
    );
    expect(await witness.submit('x'.repeat(131_073))).toMatchObject({ status: 413 });
    const none = await fetch(`${witness.address}/add-checkpoint`, { method: 'POST' });
    expect(none.status).toBe(400);
  });

  it('does not ask for a body that is declared as too long', async () => {
    using client = new RawClient(witness.address);
    client.send(
      'POST /add-checkpoint HTTP/1.1\r\nHost: w\r\nExpect: 100-continue\r\nContent-Length: 131073\r\n\r\n',
    );
    await client.closed;
    expect(client.received).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('keeps a connection for several submissions', async () => {
    const { port } = new URL(witness.address);
    const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8');
    let answers = '';
    socket.on('data', (text) => (answers += text));
    const body = log.request(0, 1);
    const head = `POST /add-checkpoint HTTP/1.1\r\nHost: w\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
    for (const count of [1, 2, 3]) {
      socket.write(`${head}\r\n${body}`);
      await expect
        .poll(() => answers.match(/HTTP\/1\.1 409/g)?.length, { timeout: 20_000 })
        .toBe(count);
    }
    socket.destroy();
  });

  it('moves on alone, however many processes and submissions there are', async () => {
    const second = await RunningWitness.start(folder, '--rate', '1000');
    expect(second.vkey).toBe(witness.vkey);
    const cosigned = new Map<number, string>();
    let seen = 9;
    // Two histories that both continue what was cosigned, to both processes at once.
    const split = new WitnessedLog([...log.leaves.slice(0, 9), ...leavesOf(391, 'c')]);
    for (let round = 0; round < 8; round += 1) {
      const all = [log, split].flatMap((from) =>
        [1, 2, 3].flatMap((step) =>
          [witness, second].map(async (to) => {
            const size = seen + step + (from === log ? 0 : 3);
            const { status, text } = await to.submit(from.request(seen, size));
            if (status === 200) cosigned.set(size, from.root(size).toString('base64'));
            else expect([status, text]).not.toEqual([429, expect.anything()]);
          }),
        ),
      );
      await Promise.all(all);
      seen = Number((await (await witness.get(LOG_PATH)).text()).split('\n')[1]);
    }
    expect(cosigned.size).toBeGreaterThanOrEqual(8);
    const isOne = [log, split].some((one) =>
      [...cosigned].every(([size, root]) => one.root(size).toString('base64') === root),
    );
    expect(isOne).toBe(true);
    expect(await second.program.end()).toBe(0);
  });

  it('has on the disk what it has answered, and stops well', async () => {
    const latest = await (await witness.get(LOG_PATH)).text();
    const size = Number(latest.split('\n')[1]);
    expect(await witness.program.end('SIGKILL')).toBe('SIGKILL');
    const left = join(folder, `w1.key-new-${randomUUID()}`);
    writeFileSync(left, 'of a start that was killed while it made the key');
    const again = await RunningWitness.start(folder, '--name', NAME, '--rate', '2');
    expect(existsSync(left)).toBe(false);
    expect([again.vkey, await (await again.get(LOG_PATH)).text()]).toEqual([witness.vkey, latest]);
    expect(await again.submit(log.request(0, 2))).toMatchObject({ status: 409, text: `${size}\n` });
    expect(await again.submit(log.request(0, 2))).toMatchObject({ status: 409 });
    const limited = await fetch(`${again.address}/add-checkpoint`, { method: 'POST', body: 'x' });
    expect(limited.status).toBe(429);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(Number(limited.headers.get('retry-after'))).toBeLessThanOrEqual(30);
    expect((await again.get(LOG_PATH)).status).toBe(200);
    expect(await again.program.end('SIGTERM')).toBe(0);
    expect(again.program.log.at(-1)).toMatchObject({ msg: 'stopped' });
  });

  it('is refused where it could have forgotten what it cosigned', async () => {
    const own = ['--db', 'w1.db', '--key', 'w1.key'];
    const other = await refused(folder, ...own, '--name', 'witness.example/w2');
    expect(other.text).toContain(`w1.key has the key of ${NAME}, not of witness.example/w2.`);
    const forgotten = await refused(folder, '--db', 'new.db', '--key', 'w1.key');
    expect([forgotten.code, forgotten.text]).toEqual([
      1,
      expect.stringContaining('new.db has no record of this key, which may have cosigned before.'),
    ]);
    renameSync(join(folder, 'w1.key'), join(folder, 'kept.key'));
    const keyless = await refused(folder, ...own, '--name', NAME);
    expect(keyless.text).toContain(
      `w1.key is missing, and this witness signs with the key in it, ${witness.vkey}.`,
    );
    if (!isNightly) return;
    const nameless = await refused(folder, '--db', 'w2.db', '--key', 'w2.key');
    expect(nameless.text).toContain('There is no key w2.key. To make one, give the witness a name');
    // By day unit tests of the file of a key show the same.
    writeFileSync(join(folder, 'w1.key'), `${log.signer.privateKey()}\n`);
    expect((await refused(folder, ...own)).text).toContain('w1.key is no signing key');
  });

  it('has a database that only goes forward', () => {
    const db = new Database(join(folder, 'w1.db'));
    for (const [sql, message] of [
      ['UPDATE cosigned SET size = size - 1', 'a witness only goes forward'],
      ['DELETE FROM cosigned', 'a witness only goes forward'],
      [
        "INSERT OR REPLACE INTO cosigned VALUES ('example.com/log', 1, '')",
        'a witness only goes forward',
      ],
      ["INSERT INTO witness VALUES ('')", 'a file is of one witness'],
      ["UPDATE witness SET verifier_key = ''", 'a file is of one witness'],
      ['DELETE FROM witness', 'a file is of one witness'],
    ] as const) {
      expect(() => db.exec(sql), sql).toThrow(message);
    }
    db.close();
  });
});
