import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { RecordTree } from '../../../src/app/audit/proofs/verifier.ts';
import { NoteSigner } from '../../../src/app/audit/proving/checkpoint.ts';
import { receiptOf } from '../../../src/app/audit/proving/receipt.ts';
import { Cosigner } from '../../../src/app/audit/witness/cosigner.ts';
import { recordOf } from '../../../src/app/log/recorded-event.ts';
import { Place } from '../../support/command-line.ts';
import { newDatabase } from '../../support/postgres/databases.ts';
import { sql } from '../../support/postgres/sql.ts';
import { coverUp, tamper } from '../../support/tampering.ts';

const ORDERS = `id,petId,quantity,shipDate,status
1,7,1,,pending
2,7,1,2026-01-31T12:00:00Z,shipped
3,7,1,,cancelled
`;
const RATE = /^5 events in \d+\.\d s: \d+ a second$/m;

/** A store of five events, its public key, and a checkpoint as an auditor stores it. */
async function given(place = new Place()) {
  await place.run('import', place.write('orders.csv', ORDERS));
  const [checkpoint, receipt, key] = ['checkpoint', 'receipt', 'key'].map((name) =>
    place.file(name),
  );
  if (!checkpoint || !receipt || !key) expect.fail();
  await place.run('audit', 'checkpoint', '--out', checkpoint);
  await place.run('audit', 'receipt', '3', '--out', receipt);
  const { out } = await place.run('audit', 'public-key');
  writeFileSync(key, out);
  return { place, checkpoint, receipt, key, vkey: out.trim(), file: place.file('store.db') };
}

test('a store in PostgreSQL is verified with the same exit codes', async () => {
  const { place, checkpoint, key } = await given(await Place.onPostgres());
  const { url = '' } = place;
  const args = ['verify', '--checkpoint', checkpoint, '--key', key];
  const whole = await place.run(...args);
  expect(whole.out).toMatch(/^5 events verified\.\nTheir root is [\w+/]{43}=\n/);
  expect(whole.out).toMatch(/ for 5 events\.\nVerified\.\n$/);
  expect(whole.err).toMatch(RATE);
  expect(whole.code).toBe(0);
  const other = await given(await Place.onPostgres());
  const forked = await other.place.run(...args);
  expect(forked.out).toContain(
    `positions 1 to 5: ${checkpoint} has another root for these 5 events\n`,
  );
  expect(forked.code).toBe(3);
  await sql(
    url,
    `ALTER TABLE store_orders.events DISABLE TRIGGER USER;
     UPDATE store_orders.events SET order_id = 9 WHERE position = 2`,
  );
  const rewritten = await place.run('verify');
  expect(rewritten.code).toBe(3);
  expect(rewritten.out).toContain("1 events keep the log's own rules.\n");
  expect(rewritten.out).toContain(
    'position 2: its column order_id says 9, and its data is of order 3\n',
  );
  expect(rewritten.out).toContain('the trigger events_never_change of the database is disabled\n');
  const nowhere = new Place(undefined, await newDatabase(18, 'template1'));
  const ran = await nowhere.run('verify');
  expect(ran).toMatchObject({ code: 1, out: '' });
  expect(ran.err).toContain('There is no store in postgres://127.0.0.1:');
});

test('a text of a store neither controls a terminal nor begins a line of the report', async () => {
  const { place, file } = await given();
  tamper(file, (db) => {
    db.exec(`CREATE TRIGGER "\u001b[2J\nVerified." AFTER INSERT ON events BEGIN SELECT 1; END`);
  });
  const { code, out } = await place.run('verify');
  expect(code).toBe(3);
  expect(out).toContain("\nthe trigger ?[2J Verified. of the database is none of this program's\n");
});

test('an intact store is verified', async () => {
  const { place } = await given();
  const { code, out, err } = await place.run('verify');
  expect(out).toMatch(/^5 events verified\.\nTheir root is [\w+/]{43}=\nVerified\.\n$/);
  expect(err).toMatch(RATE);
  expect(code).toBe(0);
});

test('a store matches a stored checkpoint, even after it has grown', async () => {
  const { place, checkpoint, key, vkey } = await given();
  await place.run('import', place.write('more.csv', 'id,petId,quantity\n4,7,1\n'));
  for (const given of [key, vkey]) {
    const { code, out } = await place.run('verify', '--checkpoint', checkpoint, '--key', given);
    expect(out).toContain(`${checkpoint} is signed by ${vkey.split('+')[0]}, for 5 events.\n`);
    expect(code).toBe(0);
  }
});

test("without --key, the store's own key is used, and reported", async () => {
  const { place, checkpoint, vkey, file } = await given();
  const { code, err } = await place.run('verify', '--checkpoint', checkpoint);
  expect(code).toBe(0);
  expect(err).toContain(`Without --key, the store's own key is used: ${vkey}\n`);
  rmSync(`${file}-signing-key`);
  const refused = await place.run('verify', '--checkpoint', checkpoint);
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toContain('The store has no key: name the public key of the log with --key.');
});

test('without --key, a checkpoint from before a new signing key is verified with the earlier key', async () => {
  for (const on of [new Place(), await Place.onPostgres()]) {
    const { place, checkpoint, vkey } = await given(on);
    const file = `${place.file('store.db')}-signing-key`;
    renameSync(file, `${file}-away`);
    const renewed = (await place.run('audit', 'new-key')).out.trim();
    const { code, out, err } = await place.run('verify', '--checkpoint', checkpoint);
    expect(err).toContain(
      `own key is used: ${renewed}\nSo is one that has signed before: ${vkey}\n`,
    );
    expect(out).toMatch(/ for 5 events\.\nVerified\.\n$/);
    expect(code).toBe(0);
    // A key that is given is the only one that counts.
    const other = await place.run('verify', '--checkpoint', checkpoint, '--key', renewed);
    expect(other.code).toBe(3);
  }
});

test('a damaged file of the signing key is reported, and a missing one is not', async () => {
  const { place, file } = await given();
  const key = `${file}-signing-key`;
  writeFileSync(key, '');
  const { code, out } = await place.run('verify');
  expect(out).toContain(`${key} is no signing key: `);
  expect(out).toMatch(/Verification failed\.\n$/);
  expect(code).toBe(3);
  rmSync(key);
  expect((await place.run('verify')).code).toBe(0);
});

test('a rewritten store is reported, with exit code 3', async () => {
  const { place, checkpoint, key, file } = await given();
  tamper(file, (db) => void db.exec(`UPDATE events SET data = replace(data, '"7"', '"8"')`));
  const { code, out, err } = await place.run('verify');
  expect(code).toBe(3);
  expect(out).toContain('positions 1 to 4: the tree was computed over other events\n');
  expect(out).toMatch(/Verification failed\.\n$/);
  expect(err).toContain('store-orders: Problems were found.\n');
  coverUp(file);
  expect((await place.run('verify')).code).toBe(0);
  const kept = await place.run('verify', '--checkpoint', checkpoint, '--key', key);
  expect(kept.code).toBe(3);
  expect(kept.out).toContain(
    `positions 1 to 5: ${checkpoint} has another root for these 5 events\n`,
  );
});

test('an event that violates a rule is reported with its position', async () => {
  const { place, file } = await given();
  tamper(file, (db) => void db.exec('UPDATE events SET order_id = 9 WHERE position = 2'));
  const { code, out } = await place.run('verify');
  expect(code).toBe(3);
  expect(out).toContain("1 events keep the log's own rules.\n");
  expect(out).toContain('position 2: its column order_id says 9, and its data is of order 3\n');
});

test('a forged checkpoint, or one of another key, is reported', async () => {
  const { place, checkpoint, key } = await given();
  const forged = place.write('forged', readFileSync(checkpoint, 'utf8').replace('\n5\n', '\n4\n'));
  const { code, out } = await place.run('verify', '--checkpoint', forged, '--key', key);
  expect(code).toBe(3);
  expect(out).toContain(`${forged}: the signature is not that of the public key on this text\n`);
  const other = NoteSigner.generate('other').verifierKey;
  const ran = await place.run('verify', '--checkpoint', checkpoint, '--key', other);
  expect(ran.code).toBe(3);
  expect(ran.out).toContain(`${checkpoint}: the note is not signed with the public key\n`);
  const either = ['--key', other, '--key', key];
  expect((await place.run('verify', '--checkpoint', checkpoint, ...either)).code).toBe(0);
});

test('a receipt is verified without the store, and a forged one is refused', async () => {
  const { receipt, key, place } = await given();
  const elsewhere = new Place();
  const copy = elsewhere.file('receipt.json');
  copyFileSync(receipt, copy);
  const edited = `\ufeff${readFileSync(receipt, 'utf8').replaceAll('\n', '\r\n')}`;
  const saved = await elsewhere.run(
    ...['verify', '--receipt', place.write('saved', edited), '--key', key],
  );
  expect(saved.code, saved.out).toBe(0);
  const { code, out, err } = await elsewhere.run('verify', '--receipt', copy, '--key', key);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/^Position 2: \{"data":\{"orderId":"3"\},.*"type":"OrderCancelled"/);
  const forged = place.write('forged', readFileSync(receipt, 'utf8').replace('"3', '"1'));
  const ran = await elsewhere.run('verify', '--receipt', forged, '--key', key);
  expect(ran.code).toBe(3);
  expect(ran.out).toContain(`${forged}: `);
});

const AT = String.raw`\d{4}-\d\d-\d\d at \d\d:\d\d:\d\d\.\d{3} UTC`;

/** The words for the receipt of each position, and the order whose cancellation it shows. */
const SAID: readonly [position: number, words: string, cancelled?: string][] = [
  [
    1,
    `The receipt is genuine, and not one of a cancellation: order [123] was placed on ${AT}, by import: pet 7, quantity 1.`,
  ],
  [
    5,
    `The receipt is genuine, and not one of a cancellation: order 2 was shipped, with the ship date 2026-01-31T12:00:00.000Z, as recorded on ${AT}, by import.`,
  ],
  [2, `Verified: order 3 was cancelled on ${AT}, by import.`, '3'],
];

test.each(SAID)('a receipt for position %i is put in words', async (position, words, cancelled) => {
  const { place, key } = await given();
  const file = place.file('asked.json');
  await place.run('audit', 'receipt', '--position', String(position), '--out', file);
  const args = ['verify', '--receipt', file, '--key', key];
  const { code, out, err } = await place.run(...args);
  expect([code, err]).toEqual([0, '']);
  const [shown, verdict] = out.trimEnd().split('\n').slice(-2);
  expect(shown).toMatch(/^It does not show what else happened to the order, before or after, /);
  expect(verdict).toMatch(new RegExp(`^${words}$`));
  for (const order of ['1', '2', '3', '9223372036854775807']) {
    const ran = await place.run(...args, '--order', order);
    const last = ran.out.trimEnd().split('\n').at(-1);
    const json = JSON.parse((await place.run(...args, '--order', order, '--json')).out);
    if (order === cancelled) {
      expect([ran.code, last]).toEqual([0, verdict]);
      expect(json).toMatchObject({ ok: true, asked: { order, isShown: true } });
    } else {
      expect(ran.code).toBe(4);
      expect(last).toMatch(
        new RegExp(
          `^The receipt is genuine, but does not show that order ${order} was cancelled: order `,
        ),
      );
      expect(ran.err).toContain('The receipt does not show the cancellation of that order.');
      expect(json).toMatchObject({ ok: false, asked: { order, isShown: false }, findings: [] });
    }
  }
});

test('a receipt names the author, with control characters escaped', async () => {
  const signer = NoteSigner.generate('log');
  const receiptFor = (by: string, type = 'OrderCancelled') => {
    const metadata = { at: '2026-01-03T12:00:00.000Z', by, commandId: 'c' };
    const stored = { position: 1, version: 2, schemaVersion: 1, data: '{"orderId":"8"}' };
    const record = recordOf({ ...stored, type, metadata: JSON.stringify(metadata) });
    const tree = new RecordTree();
    tree.add(record);
    return receiptOf(record, [], signer.signCheckpoint(1, tree.head().root));
  };
  const place = new Place();
  const told = async (receipt: string, ...args: readonly string[]) => {
    const file = place.write('receipt.json', receipt);
    const ran = await place.run('verify', '--receipt', file, '--key', signer.verifierKey, ...args);
    return { code: ran.code, last: ran.out.trimEnd().split('\n').at(-1) };
  };
  const cancelled = 'Verified: order 8 was cancelled on 2026-01-03 at 12:00:00.000 UTC, ';
  expect(await told(receiptFor('Hs6IzlXByd'))).toEqual({
    code: 0,
    last: `${cancelled}by the API key Hs6IzlXByd.`,
  });
  expect((await told(receiptFor('\u001b[2J\u009b"x'))).last).toBe(`${cancelled}by "?[2J?\\"x".`);
  const unknown = 'its event is in a form that this version does not know.';
  expect(await told(receiptFor('a', 'OrderReturned'))).toEqual({
    code: 0,
    last: `The receipt is genuine, and not one of a cancellation: ${unknown}`,
  });
  expect(await told(receiptFor('a', 'OrderReturned'), '--order', '8')).toEqual({
    code: 4,
    last: `The receipt is genuine, but does not show that order 8 was cancelled: ${unknown}`,
  });
  const forged = receiptFor('a').replace('OrderCancelled', 'OrderCanceled');
  expect(await told(forged, '--order', '8')).toEqual({
    code: 3,
    last: 'Verification failed.',
  });
});

test('a report as JSON has the same contents', async () => {
  const { place, checkpoint, receipt, key, file } = await given();
  const args = ['--json', '--key', key];
  const whole = await place.run('verify', '--checkpoint', checkpoint, ...args);
  expect(JSON.parse(whole.out)).toEqual({
    ok: true,
    checked: 'store',
    store: expect.stringMatching(/^\w{16}$/),
    events: 5,
    root: expect.stringMatching(/=$/),
    checkpoints: [{ file: checkpoint, origin: expect.any(String), size: 5 }],
    findings: [],
  });
  const { out } = await place.run('verify', '--receipt', receipt, ...args);
  expect(JSON.parse(out)).toMatchObject({
    ok: true,
    checked: 'receipt',
    position: 2,
    findings: [],
  });
  tamper(file, (db) => void db.exec('DELETE FROM events WHERE position = 4'));
  const bad = await place.run('verify', ...args);
  expect(bad.code).toBe(3);
  expect(JSON.parse(bad.out)).toMatchObject({
    ok: false,
    events: 3,
    findings: [{ from: 4, problem: 'it is missing' }],
  });
});

test('an unreadable file yields exit code 1, not a verdict', async () => {
  const { place, key } = await given();
  const nowhere = place.file('nowhere');
  for (const option of ['--receipt', '--checkpoint', '--export']) {
    const { code, err } = await place.run('verify', option, nowhere, '--key', key);
    expect(code).toBe(1);
    expect(err).toContain(`${nowhere} cannot be read: ENOENT`);
  }
  expect(await new Place().run('verify')).toMatchObject({ code: 1, out: '' });
});

test.each([
  [['--receipt', 'r'], 'without the store, the public key is needed: --key'],
  [['--export', 'e'], 'without the store, the public key is needed: --key'],
  [['--export', 'e', '--receipt', 'r'], '--receipt and --export are checked one at a time'],
  [['--order', '8'], '--order is for a receipt: --receipt'],
  [['--order', 'x'], 'It must be a whole number of 64 bits.'],
  [['--key', 'neither'], 'It is no public key, nor a file with one: '],
])('%j is a usage error', async (args, message) => {
  const { code, out, err } = await new Place().run('verify', ...args);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(message);
});

test('--receipt and --checkpoint exclude each other', async () => {
  const { place, receipt, checkpoint, key } = await given();
  const args = ['--receipt', receipt, '--checkpoint', checkpoint, '--key', key];
  expect((await place.run('verify', ...args)).code).toBe(2);
});

/** Two witnesses, and a policy by which both have to have cosigned. */
function witnesses(place: Place, vkey: string) {
  const [one, two] = [1, 2].map((number) => {
    return new Cosigner(`w${number}.example`, Buffer.alloc(32, number));
  });
  if (one === undefined || two === undefined) expect.fail();
  const policy = place.write(
    'policy',
    `log ${vkey}
witness one ${one.verifierKey}
witness two ${two.verifierKey}
group both all one two
quorum both
`,
  );
  const cosigned = (note: string, ...cosigners: Cosigner[]) => {
    const text = note.slice(0, note.lastIndexOf('\n\n') + 1);
    return note + cosigners.map((each) => each.cosign(text, 1_800_000_000)).join('');
  };
  return { one, two, policy, cosigned };
}

test('a checkpoint needs the witnesses of a policy, and the report names each with its time', async () => {
  const { place, checkpoint, key, vkey } = await given();
  const { one, two, policy, cosigned } = witnesses(place, vkey);
  const note = readFileSync(checkpoint, 'utf8');
  const args = ['verify', '--checkpoint', checkpoint, '--witness-policy', policy];
  const alone = await place.run(...args, '--key', key);
  expect(alone.out).toContain(
    `${checkpoint}: no quorum of witnesses has cosigned: one, two did not\nVerification failed.\n`,
  );
  expect(alone.code).toBe(3);

  writeFileSync(checkpoint, cosigned(note, one));
  expect((await place.run(...args)).out).toContain('no quorum of witnesses has cosigned: two did');
  expect((await place.run('verify', '--checkpoint', checkpoint, '--key', key)).code).toBe(0);

  writeFileSync(checkpoint, cosigned(note, one, two));
  const whole = await place.run(...args);
  expect(whole.out).toContain(
    `${checkpoint} is cosigned by one (w1.example), on 2027-01-15 at 08:00:00.000 UTC.
${checkpoint} is cosigned by two (w2.example), on 2027-01-15 at 08:00:00.000 UTC.
Verified.
`,
  );
  expect([whole.code, whole.err]).toEqual([0, expect.not.stringContaining("store's own key")]);

  // A false cosignature is worse than none, also where a quorum would do without it.
  writeFileSync(checkpoint, note + cosigned(note.replace('\n5\n', '\n4\n'), one).split('\n\n')[1]);
  const forged = await place.run(...args, '--key', key);
  expect([forged.code, forged.out]).toEqual([
    3,
    expect.stringContaining('the cosignature by w1.example is not valid'),
  ]);
});

test('a receipt needs the witnesses of a policy in either form', async () => {
  const { place, receipt, key, vkey } = await given();
  const { one, two, policy, cosigned } = witnesses(place, vkey);
  const json = JSON.parse(readFileSync(receipt, 'utf8'));
  const proof = place.file('receipt.tlog-proof');
  await place.run('audit', 'receipt', '3', '--format', 'tlog-proof', '--out', proof);
  const [head = '', text = '', lines = ''] = readFileSync(proof, 'utf8').split('\n\n');
  const both = cosigned(json.checkpoint, one, two);
  const args = ['verify', '--order', '3', '--witness-policy', policy, '--json', '--receipt'];
  for (const [file, bare, whole] of [
    [receipt, JSON.stringify(json), JSON.stringify({ ...json, checkpoint: both })],
    [
      proof,
      `${head}\n\n${text}\n\n${lines}`,
      `${head}\n\n${cosigned(`${text}\n\n${lines}`, one, two)}`,
    ],
  ] as const) {
    writeFileSync(file, bare);
    const refused = await place.run(...args, file);
    expect([refused.code, JSON.parse(refused.out)]).toMatchObject([
      3,
      {
        ok: false,
        findings: [{ problem: `${file}: no quorum of witnesses has cosigned: one, two did not` }],
      },
    ]);
    writeFileSync(file, whole);
    const verified = await place.run(...args, file);
    expect([verified.code, JSON.parse(verified.out).checkpoints]).toMatchObject([
      0,
      [
        {
          witnesses: [
            { name: 'one', key: 'w1.example', at: '2027-01-15T08:00:00.000Z' },
            { name: 'two', key: 'w2.example', at: '2027-01-15T08:00:00.000Z' },
          ],
        },
      ],
    ]);
    // Who knows no witnesses ignores their signatures.
    expect((await place.run('verify', '--receipt', file, '--key', key)).code).toBe(0);
  }
});

test('a policy needs something that witnesses have cosigned', async () => {
  const { place, vkey } = await given();
  const { policy } = witnesses(place, vkey);
  expect(await place.run('verify', '--witness-policy', policy)).toMatchObject({ code: 2 });
  expect(await place.run('verify', '--witness-policy', 'absent')).toMatchObject({ code: 1 });
});
