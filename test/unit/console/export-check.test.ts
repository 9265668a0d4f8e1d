import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { cloudEventOf, noteLine } from '../../../src/app/audit/proofs/cloud-event.ts';
import { sealText } from '../../../src/app/audit/proofs/trail-seal.ts';
import { RecordTree } from '../../../src/app/audit/proofs/verifier.ts';
import { NoteSigner } from '../../../src/app/audit/proving/checkpoint.ts';
import { recordOf } from '../../../src/app/log/recorded-event.ts';
import { checkExport, type Progress } from '../../../src/console/state/export-check.ts';
import { exportRows } from '../../../src/console/state/export-rows.ts';
import { problemOf } from '../../../src/console/state/problem.ts';
import { isVerified } from '../../../src/console/state/proof-steps.ts';
import { encode } from '../../../src/infra/events/codec.ts';
import { placed, recorded } from '../../support/events.ts';

const STORE = 'fb4b0e07caf02b8d';
const EVENTS = 450;
const signer = new NoteSigner('log.example', Buffer.alloc(32, 7));

/** An export, and the checkpoints of the log at each size. */
function given() {
  const ids = Array.from({ length: EVENTS }, (_, index) => BigInt(index + 1));
  const stored = recorded(...ids.map((id) => placed(id))).map(encode);
  const tree = new RecordTree();
  const notes = [undefined, ...stored].map((event) => {
    if (event !== undefined) tree.add(recordOf(event));
    const { size, root } = tree.head();
    return signer.signCheckpoint(size, root);
  });
  const first = noteLine('Checkpoint', STORE, EVENTS, notes.at(-1) ?? '');
  const lines = [first, ...stored.map((event) => cloudEventOf(event, STORE, () => 'Käse'))];
  const digest = createHash('sha256')
    .update(`${lines.join('\n')}\n`)
    .digest();
  const said = { origin: signer.name, storeId: STORE, size: EVENTS, digest };
  lines.push(noteLine('Seal', STORE, EVENTS, signer.sign(sealText(said))));
  return { lines, notes };
}

const { lines, notes } = given();
const whole = `${lines.join('\n')}\n`;

function check(
  parts: readonly (string | Uint8Array<ArrayBuffer>)[],
  ofReader: readonly string[] = [],
  onProgress: (progress: Progress) => void = () => {},
  signal = new AbortController().signal,
) {
  const input = { file: new Blob([...parts]), key: signer.verifierKey, notes: ofReader };
  return checkExport(input, signal, onProgress);
}

/** Returns the outcomes, and the reason of the failure. */
async function told(...given: Parameters<typeof check>) {
  const { steps, index } = await check(...given);
  const outcomes = steps.map(({ outcome }) => outcome.replace('not checked', '-')).join(' ');
  expect(index).toBeUndefined();
  return [outcomes, steps.find(({ reason }) => reason)?.reason];
}

describe('An export', () => {
  it('is not complete beside a policy, which it cannot meet', async () => {
    const input = {
      file: new Blob([whole]),
      key: signer.verifierKey,
      notes: [],
      policies: ['log x'],
    };
    const checked = await checkExport(input, new AbortController().signal, () => {});
    expect(isVerified(checked)).toBe(false);
    expect(checked.steps.at(-1)).toMatchObject({
      outcome: 'not checked',
      what: expect.stringMatching(/witnesses of the policy/),
    });
  });

  it('is right as a whole, and its events are read from their places in the file', async () => {
    const checked = await check([whole], [notes[0] ?? '', notes[300] ?? '', notes[EVENTS] ?? '']);
    expect(checked.steps).toHaveLength(5);
    expect(isVerified(checked)).toBe(true);
    if (checked.index === undefined) expect.fail();
    const rows = exportRows(checked.index);
    for (const at of [0, 199, 200, EVENTS - 1]) {
      await rows.want(at, at + 1);
      expect(rows.at(at)).toMatchObject({ position: at + 1, type: 'OrderPlaced', keyname: 'Käse' });
    }
    expect(rows.at(EVENTS)).toBeUndefined();
  });

  it.each([
    ['is no longer there', () => Promise.reject(new DOMException('gone', 'NotReadableError'))],
    ['holds other text', async () => 'x'.repeat(80)],
    ['holds other events', async () => `${lines[2]}\n`],
  ])('shows no events where its file %s', async (_, text) => {
    const { index } = await check([whole]);
    if (index === undefined) expect.fail();
    const file = Object.assign(new Blob([]), {
      slice: () => Object.assign(new Blob([]), { text }),
    });
    const rows = exportRows({ ...index, file });
    const refused = await rows.want(0, 1).catch((error: unknown) => error);
    expect(problemOf(refused, true)).toMatchObject({ kind: 'file_changed' });
    expect(rows.at(0)).toBeUndefined();
  });

  it('must agree with the checkpoints of the reader', async () => {
    const other = signer.signCheckpoint(300, Buffer.alloc(32, 1));
    const beyond = signer.signCheckpoint(EVENTS + 1, Buffer.alloc(32, 1));
    const cut = signer.signCheckpoint(300, Buffer.alloc(32, 1), `1.${'a'.repeat(32)}`);
    expect(await told([whole], [other])).toStrictEqual([
      'ok ok failed - -',
      'position 1 to 300: your checkpoint of 300 events has another root for these 300 events',
    ]);
    expect((await told([whole], [beyond]))[1]).toMatch(
      /^position 451: the log ends at position 450/,
    );
    expect((await told([whole], [cut]))[1]).toMatch(/it was cut in between/);
    const [text = ''] = (notes[300] ?? '').split('\n\n');
    const same = signer.sign(`${text}\n`.replace('\n', `+1.${'a'.repeat(32)}\n`));
    expect(isVerified(await check([whole], [same]))).toBe(true);
    expect((await told([whole], ['no note']))[1]).toMatch(/^your checkpoint: the note/);
  });

  it('has no step that holds without having been checked', async () => {
    const [yours, foreign] = [notes[EVENTS] ?? '', 'no note'];
    expect((await told([whole], [foreign]))[0]).toBe('ok - failed - -');
    expect((await told(['x', whole], [foreign]))[0]).toBe('failed - - - -');
    const short = [...lines.slice(0, -2), ...lines.slice(-1), ''].join('\n');
    const [outcomes, reason] = await told([short], [yours]);
    expect(reason).toBe(
      'position 450: the log ends at position 449, and the checkpoint in it is of 450 events',
    );
    expect(outcomes).toBe('ok ok - failed -');
    const changed = whole.replace('"petId":"7"', '"petId":"8"');
    expect((await told([changed], [yours]))[0]).toBe('ok ok - failed -');
    expect((await told([changed], [notes[300] ?? '']))[0]).toBe('ok ok failed - -');
    expect((await told([`${whole}x\n`], [yours]))[0]).toBe('ok ok ok ok failed');
  });

  it.each([
    ['it is empty', [], 'failed - - -', /there is nothing in it/],
    ['it is of no text', [new Uint8Array([255, 10])], 'failed - - -', /it is not UTF-8/],
    ['it has a byte order mark', ['\uFEFF', whole], 'failed - - -', /no checkpoint/],
    [
      'it has line ends of Windows',
      [whole.replaceAll('\n', '\r\n')],
      'failed - - -',
      /^a line ends with a carriage return$/,
    ],
    ['it has a mark that editors leave', ['\uFEFF', whole], 'failed - - -', /a byte order mark/],
    ['it begins with an empty line', ['\n', whole], 'failed - - -', /there is an empty line/],
    ['its end is cut off', [whole.slice(0, -1)], 'ok failed - -', /cut off/],
    ['a line never ends', [whole, 'x'.repeat(3 << 20)], 'ok failed - -', /too long/],
    ['a line is behind the seal', [whole, `${lines[1]}\n`], 'ok ok ok failed', /after the seal/],
  ] as const)('is refused where %s', async (_, parts, outcomes, reason) => {
    const [found, why] = await told(parts);
    expect(why).toMatch(reason);
    expect(found).toBe(outcomes);
  });

  it('is refused with its root before its seal where an event was changed', async () => {
    const [outcomes, reason] = await told([whole.replace('"petId":"7"', '"petId":"8"')]);
    expect(outcomes).toBe('ok ok failed -');
    expect(reason).toMatch(/^position 1 to 450: the checkpoint in it has another root/);
  });

  it('can be cancelled', async () => {
    const ending = new AbortController();
    ending.abort('cancelled');
    await expect(check([whole], [], undefined, ending.signal)).rejects.toBe('cancelled');
    await expect(check([], [], undefined, ending.signal)).rejects.toBe('cancelled');
  });

  it.each([
    ['that holds', whole],
    ['that is refused', 'no checkpoint\n'],
    ['that is cut off', 'no line'],
  ])('%s has no result if it was cancelled while the file was read', async (_, text) => {
    const ending = new AbortController();
    const file = new Blob([text]);
    const slice = file.slice.bind(file);
    file.slice = (...range) => {
      const part = slice(...range);
      const read = part.arrayBuffer.bind(part);
      part.arrayBuffer = () => read().finally(() => ending.abort('cancelled'));
      return part;
    };
    const input = { file, key: signer.verifierKey, notes: [] };
    await expect(checkExport(input, ending.signal, () => {})).rejects.toBe('cancelled');
  });
});
