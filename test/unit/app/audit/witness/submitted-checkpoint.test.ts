import { describe, expect, it } from 'vitest';
import { NoteSigner } from '../../../../../src/app/audit/proving/checkpoint.ts';
import { Cosigner } from '../../../../../src/app/audit/witness/cosigner.ts';
import {
  type KnownLogs,
  knownLogs,
  readSubmittedCheckpoint,
} from '../../../../../src/app/audit/witness/submitted-checkpoint.ts';
import { leavesOf, seed, WitnessedLog } from '../../../../support/witnessed-log.ts';

const log = new WitnessedLog(leavesOf(9));
const EPOCH = `1.${'0f'.repeat(16)}`;
const FIRST_LINE = 'example.com/log';

function known(vkeys: readonly string[], origins: readonly string[] = []): KnownLogs {
  const logs = knownLogs(vkeys, origins);
  if (!logs.ok) throw new Error(logs.reason);
  return logs.value;
}

const logs = known([log.signer.verifierKey]);

/** Returns the signature line of a note. */
function lineOf(note: string): string {
  return note.slice(note.lastIndexOf('\n\n') + 2);
}

describe('the logs of a witness', () => {
  it('are known by the names of their keys, of which one may have several', () => {
    const other = new NoteSigner('example.com/other', seed(2));
    const renewed = new NoteSigner(FIRST_LINE, seed(3));
    const all = known([log.signer.verifierKey, other.verifierKey, renewed.verifierKey]);
    expect([...all].map(([origin, keys]) => [origin, keys.map(({ vkey }) => vkey)])).toEqual([
      [FIRST_LINE, [log.signer.verifierKey, renewed.verifierKey]],
      ['example.com/other', [other.verifierKey]],
    ]);
  });

  it('are others in a later epoch, with the same keys', () => {
    const origin = `${FIRST_LINE}+${EPOCH}`;
    const all = known([log.signer.verifierKey], [origin]);
    expect([...all.keys()]).toEqual([FIRST_LINE, origin]);
    expect(all.get(origin)).toEqual(all.get(FIRST_LINE));
  });

  it.each([
    ['another log', `example.com/other+${EPOCH}`],
    ['no epoch', FIRST_LINE],
    ['an epoch of another form', `${FIRST_LINE}+2`],
  ])('have no epoch with %s', (_, origin) => {
    expect(knownLogs([log.signer.verifierKey], [origin])).toEqual({
      ok: false,
      reason: `${origin} is not the name of one of the logs, a plus sign, and an epoch`,
    });
  });

  it('have keys that sign notes', () => {
    const witness = new Cosigner('witness.example/w1', seed(4));
    expect(knownLogs([witness.verifierKey])).toMatchObject({ ok: false });
  });
});

describe('a submission', () => {
  it('is accepted with the signature of its log', () => {
    expect(readSubmittedCheckpoint(log.request(3, 7), logs)).toEqual({
      kind: 'submitted',
      origin: FIRST_LINE,
      head: { size: 7, root: new Uint8Array(log.root(7)) },
      text: log.note(7).slice(0, log.note(7).indexOf('\n\n') + 1),
      signatureLines: lineOf(log.note(7)),
      oldSize: 3,
      proof: log.proof(3, 7).map((hash) => new Uint8Array(hash)),
    });
  });

  it('keeps no signatures but those of the log, and each once', () => {
    const renewed = new NoteSigner(FIRST_LINE, seed(3));
    const text = log.note(7).slice(0, log.note(7).indexOf('\n\n') + 1);
    const [own, second] = [lineOf(log.note(7)), lineOf(renewed.sign(text))];
    const witness = new Cosigner('witness.example/w1', seed(4)).cosign(text, 1);
    const foreign = lineOf(new NoteSigner('example.com/other', seed(2)).sign(text));
    const note = `${text}\n${witness}${second}${own}${foreign}${own}— ${FIRST_LINE} AAAAAAA=\n`;
    const both = known([log.signer.verifierKey, renewed.verifierKey]);
    const lines = (logs: KnownLogs) =>
      Object(readSubmittedCheckpoint(log.request(3, 7, note), logs)).signatureLines;
    expect([lines(logs), lines(both)]).toEqual([own, own + second]);
  });

  it('may have lines that extend the checkpoint, which are signed with it', () => {
    const [text = ''] = log.note(7).split('\n\n');
    const note = log.signer.sign(`${text}\nan extension\nand another\n`);
    expect(readSubmittedCheckpoint(log.request(3, 7, note), logs)).toMatchObject({
      kind: 'submitted',
      head: { size: 7 },
      text: `${text}\nan extension\nand another\n`,
    });
  });

  const root = log.root(7).toString('base64');
  const signed = (text: string) => `old 3\n\n${log.signer.sign(text)}`;
  it.each([
    ['malformed', 'no request', 'old', 'the body is not "old SIZE"'],
    ['malformed', 'no note', 'old 3\n\nexample.com/log\n7\n', 'the note has no signatures'],
    ['malformed', 'no size', signed(`${FIRST_LINE}\nseven\n${root}\n`), 'the note is not a'],
    ['malformed', 'a zero in front', signed(`${FIRST_LINE}\n07\n${root}\n`), 'the note is not a'],
    [
      'malformed',
      'a size beyond whole numbers',
      signed(`${FIRST_LINE}\n9999999999999999\n${root}\n`),
      'the note is not a checkpoint',
    ],
    [
      'malformed',
      'loose bits in the root',
      signed(`${FIRST_LINE}\n7\n${'A'.repeat(42)}B=\n`),
      'the note is not a checkpoint',
    ],
    [
      'malformed',
      'an empty line in the text',
      signed(`${FIRST_LINE}\n7\n${root}\n\nmore\n`),
      'the note is not a checkpoint',
    ],
    [
      'malformed',
      'an old size beyond the checkpoint',
      log.request(8, 7),
      'the old size is larger than the checkpoint',
    ],
    [
      'unknown_log',
      'another origin',
      signed(`example.com/other\n7\n${root}\n`),
      'the log is not known to this witness',
    ],
    [
      'unknown_log',
      'an epoch that is not named',
      log.request(3, 7, log.note(7, EPOCH)),
      'the log is not known to this witness',
    ],
    [
      'unsigned',
      'no signature of the log',
      log.request(3, 7, new WitnessedLog(log.leaves, new NoteSigner(FIRST_LINE, seed(9))).note(7)),
      'the checkpoint is not signed with a key of its log',
    ],
    [
      'unsigned',
      'the signature of another text',
      log.request(3, 7, log.note(7).replace(lineOf(log.note(7)), lineOf(log.note(6)))),
      'the signature is not that of the public key on this text',
    ],
    [
      'unsigned',
      'a second signature that is not valid',
      log.request(3, 7, log.note(7) + lineOf(log.note(6))),
      'the signature is not that of the public key on this text',
    ],
  ] as const)('is %s with %s', (fault, _, body, reason) => {
    expect(readSubmittedCheckpoint(body, logs)).toEqual({
      kind: 'refused',
      fault,
      reason: expect.stringContaining(reason),
    });
  });

  it('is refused if one of two keys has signed something else', () => {
    const renewed = new NoteSigner(FIRST_LINE, seed(3));
    const both = known([log.signer.verifierKey, renewed.verifierKey]);
    const note = log.note(7) + lineOf(renewed.signCheckpoint(6, log.root(6)));
    expect(readSubmittedCheckpoint(log.request(3, 7, note), both)).toMatchObject({
      fault: 'unsigned',
    });
    expect(readSubmittedCheckpoint(log.request(3, 7, note), logs)).toMatchObject({
      kind: 'submitted',
    });
  });
});
