import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RecordTree, verifyCheckpoint } from '../../src/app/audit/proofs/verifier.ts';
import { NoteSigner } from '../../src/app/audit/proving/checkpoint.ts';
import { Cosigner } from '../../src/app/audit/witness/cosigner.ts';
import { leafHash } from '../../src/app/log/merkle-tree.ts';
import { Beside } from '../support/beside.ts';
import { Place } from '../support/command-line.ts';
import { ask, expectError } from '../support/http.ts';
import { plainHead } from '../support/plain-head.ts';
import { bearer, Service } from '../support/service.ts';
import { HAS_TLOG_READER, tlogReader, WITHOUT_TLOG_READER } from '../support/tlog-reader.ts';

const EVENTS = 600;
const FULL = 256;

const service = await Service.start();
const beside = new Beside(service.databaseFile);
await beside.place(Array.from({ length: EVENTS }, (_, index) => ({ id: BigInt(index + 1) })));
const vkey = (await ask(service.address, 'GET', '/public-key')).text.trim();

afterAll(async () => {
  await beside[Symbol.asyncDispose]();
  await service[Symbol.asyncDispose]();
});

async function bytesOf(
  path: string,
  key = service.key,
  from = service,
): Promise<{ status: number; headers: Headers; bytes: Buffer }> {
  const response = await fetch(`${from.address}/tlog/${path}`, { headers: bearer(key) });
  const { status, headers } = response;
  return { status, headers, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** Returns the records in an entry bundle. */
function recordsIn(bundle: Buffer): string[] {
  const records: string[] = [];
  for (let at = 0; at < bundle.length; ) {
    const end = at + 2 + bundle.readUInt16BE(at);
    records.push(bundle.toString('utf8', at + 2, end));
    at = end;
  }
  return records;
}

async function checkpoint(from = service, key = service.key) {
  const { status, headers, bytes } = await bytesOf('checkpoint', key, from);
  expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
    200,
    'text/plain; charset=utf-8',
    'no-cache',
  ]);
  const verdict = verifyCheckpoint(bytes.toString(), vkey);
  return { ...(verdict.ok ? verdict.value : expect.fail(verdict.reason)), headers };
}

describe('The tiles of the log', () => {
  it('lead from the records to the signed root, and each record to its hash', async () => {
    const { size, root } = await checkpoint();
    const tree = new RecordTree();
    for (let index = 0; index * FULL < size; index += 1) {
      const width = Math.min(FULL, size - index * FULL);
      const name = `00${index}${width < FULL ? `.p/${width}` : ''}`;
      const entries = await bytesOf(`tile/entries/${name}`);
      const tile = await bytesOf(`tile/0/${name}`);
      for (const { status, headers } of [entries, tile]) {
        expect(status).toBe(200);
        expect(headers.get('content-type')).toBe('application/octet-stream');
        expect(headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
      }
      const records = recordsIn(entries.bytes);
      expect(records).toHaveLength(width);
      expect(tile.bytes).toEqual(Buffer.concat(records.map(leafHash)));
      for (const record of records) tree.add(record);
    }
    expect(plainHead(tree.head())).toEqual({ size, root });
    const above = await bytesOf('tile/1/000.p/2');
    expect(above.bytes).toHaveLength(64);
  });

  it('are there at every width that they had, and at none that they never had', async () => {
    const { size } = await checkpoint();
    const last = size - 2 * FULL;
    const whole = await bytesOf(`tile/0/002.p/${last}`);
    const earlier = await bytesOf('tile/0/002.p/1');
    expect(earlier.bytes).toEqual(whole.bytes.subarray(0, 32));
    for (const path of [`tile/0/002.p/${last + 1}`, 'tile/0/002', 'tile/0/003.p/1', 'tile/2/000']) {
      expect((await bytesOf(path)).status, path).toBe(404);
    }
  });

  it.each([
    'tile/0/0',
    'tile/0/x000/001',
    'tile/0/000.p/0',
    'tile/64/000',
    'tile/data/000',
    'tile/',
  ])('have one address each: %s is none', async (path) => {
    expectError(await service.ask('GET', `/tlog/${path}`), 404, 'not_found');
  });

  it('are told of by a checkpoint with an ETag', async () => {
    const { headers } = await checkpoint();
    const asked = { headers: { 'If-None-Match': headers.get('etag') ?? '' } };
    const again = await service.ask('GET', '/tlog/checkpoint', asked);
    expect(again.status).toBe(304);
  });

  it('can be read, and not written', async () => {
    for (const path of ['checkpoint', 'tile/0/000', 'tile/entries/000']) {
      const answer = await service.ask('DELETE', `/tlog/${path}`);
      expectError(answer, 405, 'method_not_allowed');
      expect(answer.headers.allow).toBe('GET, HEAD, OPTIONS');
    }
  });

  it('need a key with audit:read', async () => {
    const reader = await beside.addKey(['orders:read']);
    for (const path of ['checkpoint', 'tile/0/000', 'tile/entries/000']) {
      expect((await bytesOf(path, 'wrong')).status).toBe(401);
      expect((await bytesOf(path, reader)).status).toBe(403);
    }
  });

  it('are the same for ever while the log grows, by each of its ways in', async () => {
    const before = await bytesOf('tile/0/001');
    const partial = await bytesOf('tile/0/002.p/50');
    const placed = await service.send('POST', '/v2/store/orders', { petId: '7', quantity: 1 });
    expect(placed.status).toBe(201);
    expect((await bytesOf('tile/0/001')).bytes).toEqual(before.bytes);
    expect((await bytesOf('tile/0/002.p/50')).bytes).toEqual(partial.bytes);
  });
});

describe('TILES', () => {
  it('=public serves checkpoints and hashes without a key, and entries with one', async () => {
    await using open = await Service.start({ TILES: 'public' });
    await open.send('POST', '/v2/store/orders', { petId: '7', quantity: 1 });
    const at = (path: string) => fetch(`${open.address}/tlog/${path}`);
    expect((await at('checkpoint')).status).toBe(200);
    const tile = await at('tile/0/000.p/1');
    expect(tile.status).toBe(200);
    expect(tile.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect((await at('tile/entries/000.p/1')).status).toBe(401);
    expect((await bytesOf('tile/entries/000.p/1', open.key, open)).status).toBe(200);
  });

  it('=off serves none', async () => {
    await using closed = await Service.start({ TILES: 'off' });
    expectError(await closed.ask('GET', '/tlog/checkpoint'), 404, 'not_found');
  });
});

describe('audit tiles', () => {
  it('writes the tree as files, the checkpoint last, and adds to them', async () => {
    const place = new Place();
    const lines = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => `${from + index},1,1\n`).join('');
    await place.run('import', place.write('a.csv', `id,petId,quantity\n${lines(1, 601)}`));
    const out = place.file('tiles');
    expect(await place.run('audit', 'tiles', '--out', out)).toMatchObject({ code: 0 });
    const first = readFileSync(join(out, 'checkpoint'), 'utf8');
    expect(readdirSync(join(out, 'tile/0'))).toEqual(['000', '001', '002.p']);
    expect(statSync(join(out, 'tile/entries/000')).mode & 0o777).toBe(0o600);

    await place.run('import', place.write('b.csv', `id,petId,quantity\n${lines(601, 801)}`));
    const again = await place.run('audit', 'tiles', '--out', out);
    expect(again.err).toContain('800 events');
    expect(readFileSync(join(out, 'checkpoint'), 'utf8')).not.toBe(first);
    expect(existsSync(join(out, 'tile/0/002'))).toBe(true);
    const none = await place.run('audit', 'tiles', '--out', out);
    expect(none.err).toContain('800 events, 1 files');
  });

  it('leaves out the records for a place that anybody can read', async () => {
    const place = new Place();
    await place.run('import', place.write('a.csv', 'id,petId,quantity\n1,1,1\n'));
    const out = place.file('tiles');
    await place.run('audit', 'tiles', '--out', out, '--hashes-only');
    expect(readdirSync(join(out, 'tile'))).toEqual(['0']);
  });

  it('refuses a folder of something else, of another log, and of changed tiles', async () => {
    const place = new Place();
    await place.run('import', place.write('a.csv', 'id,petId,quantity\n1,1,1\n'));
    const elsewhere = await place.run('audit', 'tiles', '--out', place.folder);
    expect([elsewhere.code, elsewhere.err]).toEqual([
      1,
      expect.stringContaining('is not a folder of tiles'),
    ]);

    const out = place.file('tiles');
    await place.run('audit', 'tiles', '--out', out);
    const other = new Place();
    await other.run('import', other.write('a.csv', 'id,petId,quantity\n1,1,1\n'));
    const mixed = await other.run('audit', 'tiles', '--out', out);
    expect([mixed.code, mixed.err]).toEqual([1, expect.stringContaining('The checkpoint in')]);

    const many = Array.from({ length: 300 }, (_, index) => `${index + 2},1,1\n`).join('');
    await place.run('import', place.write('b.csv', `id,petId,quantity\n${many}`));
    await place.run('audit', 'tiles', '--out', out);
    const tile = join(out, 'tile/0/000');
    const bytes = readFileSync(tile);
    bytes.writeUInt8(bytes.readUInt8(40) ^ 1, 40);
    writeFileSync(tile, bytes);
    const changed = await place.run('audit', 'tiles', '--out', out);
    expect([changed.code, changed.err]).toEqual([
      3,
      expect.stringContaining('not those of the log'),
    ]);
  });
});

describe('A folder of tiles', () => {
  const lines = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => `${from + index},1,1\n`).join('');

  /** A store of some orders, whose tiles are in a folder. */
  async function given(orders: number, ...options: readonly string[]) {
    const place = new Place();
    const out = place.file('tiles');
    const grow = (from: number, to: number) =>
      place.run('import', place.write('a.csv', `id,petId,quantity\n${lines(from, to)}`));
    const write = (...more: readonly string[]) =>
      place.run('audit', 'tiles', '--out', out, ...options, ...more);
    await grow(1, orders + 1);
    expect(await write()).toMatchObject({ code: 0 });
    return { place, out, grow, write };
  }

  /** Returns the names and bytes of all files in a folder. */
  function filesIn(folder: string): Record<string, string> {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
    const files = names.filter((name) => statSync(join(folder, name)).isFile());
    return Object.fromEntries(
      files.map((name) => [name, readFileSync(join(folder, name)).toString('base64')]),
    );
  }

  it.each([
    ['tile/entries/000', 'tile/0/000', 256],
    ['tile/entries/000', 'tile/entries/000.p/255'],
    ['tile/entries/000.p/255', 'tile/entries/000.p/255'],
    ['tile/entries/001.p/44', 'tile/entries/001.p/44'],
    ['tile/0/000', 'tile/0/000'],
    ['tile/0/000.p/255', 'tile/0/000.p/255'],
    ['tile/0/001.p/44', 'tile/0/001.p/44'],
    ['tile/1/000.p/1', 'tile/1/000.p/1'],
  ])('is refused with a damaged %s, and left as it is', async (path, named, first = 255) => {
    const { out, grow, write } = await given(first);
    await grow(first + 1, 301);
    expect(await write()).toMatchObject({ code: 0 });
    const file = join(out, path);
    const whole = readFileSync(file);
    const changed = Buffer.from(whole);
    changed.writeUInt8(changed.readUInt8(30) ^ 1, 30);
    const longer = Buffer.concat([whole, whole, whole]);
    for (const bytes of [changed, whole.subarray(0, -1), Buffer.of(), longer]) {
      writeFileSync(file, bytes);
      const before = filesIn(out);
      const { code, err } = await write();
      expect([code, err.trim().split('\n').at(-1)]).toEqual([
        3,
        expect.stringMatching(/: The tiles are not those of the log, as tile.* shows: use a new/),
      ]);
      if (bytes === changed) expect(err).toContain(`as ${named} shows`);
      expect(filesIn(out)).toEqual(before);
    }
    writeFileSync(file, whole);
    expect(await write()).toMatchObject({ code: 0 });
  });

  it('is refused if it is of another history, and has no checkpoint', async () => {
    const { out, grow, write } = await given(5);
    await grow(6, 8);
    await write();
    unlinkSync(join(out, 'checkpoint'));
    for (const orders of [5, 6]) {
      const other = await given(orders);
      const before = filesIn(out);
      const mixed = await other.place.run('audit', 'tiles', '--out', out);
      expect([mixed.code, mixed.err]).toEqual([
        3,
        expect.stringContaining('not those of the log, as tile/entries/000.p/5 shows'),
      ]);
      expect(filesIn(out)).toEqual(before);
    }
  });

  it('keeps a checkpoint that is damaged, or of another history, whatever its size', async () => {
    const { place, out, grow, write } = await given(5);
    const key = NoteSigner.parse(readFileSync(place.file('store.db-signing-key'), 'utf8').trim());
    const file = join(out, 'checkpoint');
    const whole = readFileSync(file, 'utf8');
    const [own = '', , , line = ''] = whole.split(/\n+/);
    const fork = (size: number) => key.signCheckpoint(size, Buffer.alloc(32, 7));
    const [, , , other] = fork(4).split(/\n+/);
    await grow(6, 8);
    for (const note of [
      fork(5),
      fork(7),
      fork(1),
      '',
      'x',
      whole.slice(0, -9),
      whole.replace(line, `${other}`),
    ]) {
      writeFileSync(file, note);
      const { code, err } = await write();
      expect([code, err]).toEqual([3, expect.stringContaining('The checkpoint in')]);
      expect(readFileSync(file, 'utf8')).toBe(note);
    }
    writeFileSync(file, whole.replaceAll(own, 'orders.example'));
    expect(await write()).toMatchObject({
      code: 1,
      err: expect.stringContaining('of another log'),
    });
    writeFileSync(file, whole);
    expect(await write()).toMatchObject({ code: 0 });
  });

  it('is continued after a new signing key, and its history is still compared', async () => {
    const { place, out, grow, write } = await given(5);
    const key = place.file('store.db-signing-key');
    const old = NoteSigner.parse(readFileSync(key, 'utf8').trim());
    renameSync(key, place.file('old-key'));
    expect(await place.run('audit', 'new-key')).toMatchObject({ code: 0 });
    await grow(6, 8);
    const fork = old.signCheckpoint(5, Buffer.alloc(32, 7));
    const file = join(out, 'checkpoint');
    const whole = readFileSync(file);
    writeFileSync(file, fork);
    expect(await write()).toMatchObject({
      code: 3,
      err: expect.stringContaining('another history'),
    });
    expect(readFileSync(file, 'utf8')).toBe(fork);
    writeFileSync(file, whole);
    expect(await write()).toMatchObject({ code: 0, err: expect.stringContaining('7 events') });
  });

  it('of hashes alone is compared as well', async () => {
    const { out, grow, write } = await given(300, '--hashes-only');
    await grow(301, 311);
    const file = join(out, 'tile/0/001.p/44');
    writeFileSync(file, readFileSync(file).reverse());
    const changed = await write();
    expect([changed.code, changed.err]).toEqual([3, expect.stringContaining('as tile/0/001.p/44')]);
  });

  it('is completed after a run that was stopped, whatever that has left', async () => {
    const { out, grow, write } = await given(300);
    const whole = filesIn(out);
    for (const name of ['checkpoint', 'tile/0/000', 'tile/entries/000', 'tile/1/000.p/1']) {
      unlinkSync(join(out, name));
    }
    writeFileSync(join(out, 'tile/0/001.p/44.unfinished'), 'half');
    writeFileSync(join(out, 'tile/0/000.unfinished'), 'half');
    expect(await write()).toMatchObject({ code: 0, err: expect.stringContaining('4 files') });
    expect(filesIn(out)).toEqual({ ...whole, checkpoint: expect.any(String) });

    writeFileSync(join(out, 'tile/entries/001.p/45.unfinished'), 'half');
    await grow(301, 311);
    await write();
    expect(Object.keys(filesIn(out)).filter((name) => name.endsWith('.unfinished'))).toEqual([]);
  });

  it('is completed by one of two runs at once, and the other says why it ends', async () => {
    const { out, grow, write } = await given(3);
    await grow(4, 3_000);
    const runs = await Promise.all([write(), write()]);
    expect(runs.map(({ code }) => code)).toContain(0);
    for (const { err } of runs.filter(({ code }) => code !== 0)) {
      expect(err).toContain('is written by another `store-orders audit tiles`, too');
    }
    expect(await write()).toMatchObject({ code: 0, err: expect.stringContaining('1 files') });
    expect(Object.keys(filesIn(out)).filter((name) => name.endsWith('.unfinished'))).toEqual([]);
  });

  it('has no half-written file after one that could not be written', async () => {
    const { out, grow, write } = await given(3);
    await grow(4, 6);
    // A folder in the place of a file lets the file be written, and not be named.
    mkdirSync(join(out, 'tile/0/000.p/5/x'), { recursive: true });
    const failed = await write();
    expect([failed.code, failed.err]).toEqual([1, expect.stringContaining('000.p/5 cannot be')]);
    expect(Object.keys(filesIn(out)).filter((name) => name.endsWith('.unfinished'))).toEqual([]);
    rmSync(join(out, 'checkpoint'));
    mkdirSync(join(out, 'checkpoint'));
    expect((await write()).err).toContain('cannot be');
  });
});

describe.skipIf(!HAS_TLOG_READER)("Go's own packages", () => {
  let read: ReturnType<typeof tlogReader>;
  beforeAll(() => {
    read = tlogReader();
  });

  it('read the log from the service, check every record, and prove that it grew', async () => {
    const place = new Place();
    const { bytes } = await bytesOf('checkpoint');
    const older = place.write('older.note', bytes.toString());
    const size = await beside.head();
    const base = `${service.address}/tlog`;
    expect(await read([base, vkey, older], service.key)).toBe(`${size} ${size}`);
    await service.send('POST', '/v2/store/orders', { petId: '7', quantity: 1 });
    expect(await read([base, vkey, older], service.key)).toBe(`${size + 1} ${size + 1}`);
  });

  it('check a receipt as tlog-proof, and refuse it with any character changed', async () => {
    const { text: id } = await service.send('POST', '/v2/store/orders', {
      petId: '7',
      quantity: 1,
    });
    const order = JSON.parse(id).id;
    await service.ask('DELETE', `/v2/store/orders/${order}`);
    const path = `/v2/store/orders/${order}/receipt`;
    const answer = await service.ask('GET', path, { headers: { Accept: 'text/plain' } });
    expect(answer.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'private, no-cache',
      vary: 'Accept',
    });
    const place = new Place();
    const { record } = JSON.parse((await service.ask('GET', path)).text);
    expect(await read(['proof', place.write('a.tlog-proof', answer.text), vkey])).toBe(record);
    for (let at = 40; at < answer.text.length; at += 97) {
      const other = answer.text[at] === 'A' ? 'B' : 'A';
      const forged = `${answer.text.slice(0, at)}${other}${answer.text.slice(at + 1)}`;
      const file = place.write('forged.tlog-proof', forged);
      await expect(read(['proof', file, vkey]), `${at}`).rejects.toThrow();
    }
  });

  it('check a cosignature, and refuse it with any character changed', async () => {
    const place = new Place();
    const witness = Cosigner.generate('witness.example/w1');
    const note = (await bytesOf('checkpoint')).bytes.toString();
    const text = note.slice(0, note.indexOf('\n\n') + 1);
    const cosigned = note + witness.cosign(text, 1_800_000_000);
    const check = (text: string) =>
      read(['cosignature', place.write('cosigned', text), vkey, witness.verifierKey]);
    expect(await check(cosigned)).toBe('1800000000');
    await expect(check(note)).rejects.toThrow();
    for (let at = note.length + 2; at < cosigned.length - 1; at += 13) {
      const other = cosigned[at] === 'A' ? 'B' : 'A';
      const forged = `${cosigned.slice(0, at)}${other}${cosigned.slice(at + 1)}`;
      await expect(check(forged), `${at}`).rejects.toThrow();
    }
  });

  it('read it from the files, and notice one that was changed', async () => {
    const place = new Place();
    const lines = Array.from({ length: 700 }, (_, index) => `${index + 1},1,1\n`).join('');
    await place.run('import', place.write('a.csv', `id,petId,quantity\n${lines}`));
    const out = place.file('tiles');
    await place.run('audit', 'tiles', '--out', out);
    const key = (await place.run('audit', 'public-key')).out.trim();
    expect(await read([out, key])).toBe('700 700');
    for (const name of ['tile/0/001', 'tile/1/000.p/2', 'tile/entries/002.p/188', 'checkpoint']) {
      const file = join(out, name);
      const bytes = readFileSync(file);
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(30) ^ 1, 30);
      writeFileSync(file, changed);
      await expect(read([out, key]), name).rejects.toThrow();
      writeFileSync(file, bytes);
    }
    expect(await read([out, key])).toBe('700 700');
  });
});

if (!HAS_TLOG_READER) it.skip(WITHOUT_TLOG_READER, () => {});
