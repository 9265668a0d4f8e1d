import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTlogProof, verifyTlogProof } from '../../../../../src/app/audit/proofs/tlog-proof.ts';
import { tlogProofOf } from '../../../../../src/app/audit/proving/receipt.ts';
import { plainHead } from '../../../../support/plain-head.ts';
import { ProofLog } from '../../../../support/proof-log.ts';

const log = new ProofLog(20);

async function proofAt(position: number, { index = position - 1, record = '' } = {}) {
  const own = log.tree.records[position - 1] ?? '';
  return tlogProofOf(
    record || own,
    index,
    await log.tree.inclusion(position - 1),
    log.checkpoint(),
  );
}

describe('a receipt as tlog-proof', () => {
  it('shows its record, wherever that is', async () => {
    for (let position = 1; position <= log.size; position += 1) {
      const text = await proofAt(position);
      expect(isTlogProof(text)).toBe(true);
      expect(verifyTlogProof(text, log.vkey)).toMatchObject({
        ok: true,
        value: {
          record: log.tree.records[position - 1],
          position,
          checkpoint: plainHead(log.head),
        },
      });
    }
    expect(isTlogProof(await log.receipt(1))).toBe(false);
  });

  it.each([
    ['a header alone', 'c2sp.org/tlog-proof@v1\n', 'it is not a tlog-proof'],
    ['no extra data', 'c2sp.org/tlog-proof@v1\nindex 0\n\n', 'it is not a tlog-proof'],
    [
      'no checkpoint',
      'c2sp.org/tlog-proof@v1\nextra e30=\nindex 0\n\n',
      'the note has no signatures',
    ],
  ])('is refused with %s', (_, text, reason) => {
    const verdict = verifyTlogProof(text, log.vkey);
    expect(verdict).toMatchObject({ ok: false, reason: expect.stringContaining(reason) });
  });

  it.each([
    ['of another version', 'c2sp.org/tlog-proof@v2\n'],
    ['of the same length', 'c2sp-org/tlog-proof@v1\n'],
    ['without a line end', 'c2sp.org/tlog-proof@v1 '],
  ])('is refused with a first line %s', async (_, header) => {
    const text = (await proofAt(3)).replace(/^.*\n/, header);
    expect(verifyTlogProof(text, log.vkey)).toMatchObject({
      ok: false,
      reason: 'it does not begin as a tlog-proof does',
    });
  });

  it('is refused with another index, another record, and bytes that are no text', async () => {
    const reasonOf = (text: string) => {
      const verdict = verifyTlogProof(text, log.vkey);
      return verdict.ok ? 'none' : verdict.reason;
    };
    expect(reasonOf(await proofAt(3, { index: 3 }))).toBe('the index is not that of the record');
    const other = log.tree.records[2]?.replace('"orderId":"3"', '"orderId":"4"') ?? '';
    expect(reasonOf(await proofAt(3, { record: other }))).toContain('does not lead');
    expect(reasonOf(await proofAt(3, { record: '{}' }))).toContain('members');
    const loose = (await proofAt(3)).replace(/[AEIMQUYcgkosw048]=\n/, (end) => `B${end.slice(1)}`);
    expect(reasonOf(loose)).toBe('a text is not base64');
    const notText = (await proofAt(3)).replace(/extra .*/, 'extra /w==');
    expect(reasonOf(notText)).toBe('the extra data is not a text in UTF-8');
  });

  it.each([
    ['extra data', `extra ${'A'.repeat(400_000)}\nindex 0\n\n`, 'the note has no signatures'],
    ['extra data without an end', `extra ${'A'.repeat(32_000_000)}`, 'it is not a tlog-proof'],
    [
      'a proof',
      `extra e30=\nindex 0\n${`${'A'.repeat(43)}=\n`.repeat(100_000)}\n`,
      'it is not a tlog-proof',
    ],
    [
      'a proof of 64 hashes',
      `extra e30=\nindex 0\n${`${'A'.repeat(43)}=\n`.repeat(64)}\n`,
      'it is not a tlog-proof',
    ],
  ])('is refused with %s that no log has', (_, text, reason) => {
    const verdict = verifyTlogProof(`c2sp.org/tlog-proof@v1\n${text}`, log.vkey);
    expect(verdict).toMatchObject({ ok: false, reason: expect.stringContaining(reason) });
  });

  it('is refused with extra data that are not whole groups of base64', async () => {
    const text = (await proofAt(3)).replace(/extra .*/, 'extra AAAAA');
    expect(verifyTlogProof(text, log.vkey)).toStrictEqual({
      ok: false,
      reason: 'a text is not base64',
    });
  });

  it('is refused under another key', async () => {
    const verdict = verifyTlogProof(await proofAt(1), `${log.vkey.slice(0, -2)}A=`);
    expect(verdict.ok).toBe(false);
  });

  it('is refused with any one character changed, removed or added', async () => {
    const text = await proofAt(7);
    fc.assert(
      fc.property(
        fc.nat({ max: text.length - 1 }),
        fc.constantFrom('A', 'z', '0', '=', '\n', ' ', ''),
        fc.boolean(),
        (at, character, isInserted) => {
          const forged = `${text.slice(0, at)}${character}${text.slice(isInserted ? at : at + 1)}`;
          fc.pre(forged !== text);
          // Another header is another kind of file.
          expect(isTlogProof(forged) && verifyTlogProof(forged, log.vkey).ok).toBe(false);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
