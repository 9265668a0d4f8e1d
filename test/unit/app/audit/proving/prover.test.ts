import { describe, expect, it, vi } from 'vitest';
import { sealText } from '../../../../../src/app/audit/proofs/trail-seal.ts';
import {
  RecordTree,
  verifyCheckpoint,
  verifyConsistency,
  verifyInclusion,
  verifyNote,
  verifyReceipt,
} from '../../../../../src/app/audit/proofs/verifier.ts';
import { NoteSigner } from '../../../../../src/app/audit/proving/checkpoint.ts';
import {
  CannotProve,
  Prover,
  type SignedCheckpoint,
} from '../../../../../src/app/audit/proving/prover.ts';
import { Cosigner } from '../../../../../src/app/audit/witness/cosigner.ts';
import { recordOf } from '../../../../../src/app/log/recorded-event.ts';
import { encode } from '../../../../../src/infra/events/codec.ts';
import { MemoryTrail } from '../../../../../src/infra/memory/trail.ts';
import { placed, recorded } from '../../../../support/events.ts';
import { plainHead } from '../../../../support/plain-head.ts';

/** A log of so many events, and what proves things of it. */
function given(count: number, trail = new MemoryTrail()) {
  const events = recorded(...Array.from({ length: count }, (_, n) => placed(BigInt(n + 1))));
  const stored = events.map(encode);
  for (const event of stored) trail.append(event);
  const signer = NoteSigner.generate('log.example');
  const prover = new Prover(trail, signer);
  const records = stored.map(recordOf);
  return { trail, signer, prover, records, key: signer.verifierKey };
}

function headOf(records: readonly string[]) {
  const tree = new RecordTree();
  for (const record of records) tree.add(record);
  return tree.head();
}

describe('a log proves', () => {
  it('an event, in either form', async () => {
    const { prover, records } = given(3);
    const { proof, checkpoint } = JSON.parse(await prover.receipt(2));
    const text = await prover.receipt(2, 'tlog-proof');
    expect(text).toContain(`index 1\n${proof.join('\n')}\n\n${checkpoint}`);
    expect(Buffer.from(text.split(/\n|extra /)[2] ?? '', 'base64').toString()).toBe(records[1]);
  });

  it('its state, signed with its key', async () => {
    const { prover, records, key } = given(700);
    const { size, note } = await prover.checkpoint();
    expect(prover.verifierKey).toBe(key);
    expect(verifyCheckpoint(note, key)).toEqual({
      ok: true,
      value: { origin: 'log.example', epoch: '0', ...plainHead(headOf(records)) },
    });
    expect(size).toBe(700);
  });

  it('its state when it is empty', async () => {
    const { prover, key } = given(0);
    const verdict = verifyCheckpoint((await prover.checkpoint()).note, key);
    expect(verdict).toMatchObject({ ok: true, value: { size: 0 } });
  });

  it('every state as soon as it is reached, and signs it once', async () => {
    const { trail, signer, prover } = given(1);
    const sign = vi.spyOn(signer, 'signCheckpoint');
    const first = await prover.checkpoint();
    expect(await prover.checkpoint()).toEqual(first);
    await prover.receipt(1);
    expect(sign).toHaveBeenCalledTimes(1);
    trail.append(encode({ ...(recorded(placed(9n))[0] ?? expect.fail()), position: 2 }));
    expect((await prover.checkpoint()).size).toBe(2);
    await prover.receipt(2);
    await prover.receipt(1);
    expect(sign).toHaveBeenCalledTimes(2);
  });

  it('does not take another log of the same size for the one that it has signed', async () => {
    const { trail, prover } = given(3);
    const first = await prover.checkpoint();
    const read = vi.spyOn(trail, 'treeHead');
    read.mockResolvedValueOnce({ size: 3, root: Buffer.alloc(32) });
    const contradicts = 'the log of size 3 contradicts the checkpoint of size 3 that was signed';
    await expect(prover.checkpoint()).rejects.toThrow(contradicts);
    expect(await prover.checkpoint()).toBe(first);
  });

  it('that an event is in it, at every size since', async () => {
    const { prover, records } = given(600);
    for (const size of [1, 2, 255, 256, 257, 600]) {
      for (const position of [1, size]) {
        const proof = await prover.inclusion(position, size);
        const record = records[position - 1] as string;
        const head = headOf(records.slice(0, size));
        expect(verifyInclusion(record, position - 1, head, proof).ok).toBe(true);
      }
    }
  });

  it('that it begins with its earlier states', async () => {
    const { prover, records } = given(600);
    for (const [from, to] of [
      [0, 600],
      [1, 2],
      [256, 257],
      [599, 600],
      [600, 600],
    ] as const) {
      const proof = await prover.consistency(from, to);
      const [older, newer] = [headOf(records.slice(0, from)), headOf(records.slice(0, to))];
      expect(verifyConsistency(older, newer, proof).ok).toBe(true);
    }
  });

  it('by a receipt, that an event is in it', async () => {
    const { prover, records, key } = given(300);
    for (const position of [1, 256, 257, 300]) {
      const verdict = verifyReceipt(await prover.receipt(position), key);
      expect(verdict).toMatchObject({
        ok: true,
        value: { position, record: records[position - 1], checkpoint: { size: 300 } },
      });
    }
  });

  it.each<[string, (prover: Prover) => Promise<unknown>, string]>([
    ['a receipt', (p) => p.receipt(0), 'the log of size 5 has no event at position 0'],
    ['a receipt', (p) => p.receipt(6), 'the log of size 5 has no event at position 6'],
    ['an event', (p) => p.inclusion(0, 5), 'the log of size 5 has no event at position 0'],
    ['an event', (p) => p.inclusion(4, 3), 'the log of size 3 has no event at position 4'],
    ['a size', (p) => p.inclusion(1, 6), 'the log has the size 5, not yet 6'],
    ['a size', (p) => p.consistency(1, 6), 'the log has the size 5, not yet 6'],
    ['an order', (p) => p.consistency(4, 3), 'the log of size 3 does not begin with one of 4'],
  ])('nothing of %s that is not in it', async (_, ask, message) => {
    const refusal = await ask(given(5).prover).catch((error) => error);
    expect(refusal).toBeInstanceOf(CannotProve);
    expect(String(refusal)).toBe(`CannotProve: ${message}`);
  });

  it('nothing by a receipt that would not hold', async () => {
    const { trail, prover } = given(5);
    const [first, second] = await trail.stored(0, 2);
    const stored = vi.spyOn(trail, 'stored').mockResolvedValue(second ? [second] : []);
    const refusal = 'the tree of the log: the proof does not lead from the record to the root';
    await expect(prover.receipt(1)).rejects.toThrow(refusal);
    await expect(prover.inclusion(1, 5)).rejects.toThrow(refusal);
    stored.mockResolvedValue([]);
    await expect(prover.receipt(1)).rejects.toThrow('the event at position 1 is missing');
    stored.mockResolvedValue(first ? [first] : []);
    await expect(prover.receipt(1)).resolves.toContain('OrderPlaced');
  });
});

describe('a log without a key', () => {
  it('makes proofs without a signature, and signs nothing', async () => {
    const { trail, records } = given(5);
    const prover = new Prover(trail, undefined);
    const proof = await prover.inclusion(2, 5);
    expect(verifyInclusion(records[1] as string, 1, headOf(records), proof).ok).toBe(true);
    const refusal = new CannotProve('there is no key to sign with: SIGNING_KEY_FILE names none');
    await expect(prover.checkpoint()).rejects.toThrow(refusal);
    await expect(prover.receipt(2)).rejects.toThrow(refusal);
    expect(() => prover.verifierKey).toThrow(refusal);
  });
});

describe('a log whose key could not be made at once', () => {
  it('signs as soon as it has it', async () => {
    const { trail, signer, key } = given(5);
    const prover = new Prover(trail, undefined);
    await expect(prover.checkpoint()).rejects.toThrow(CannotProve);
    prover.signWith(signer);
    expect(verifyCheckpoint((await prover.checkpoint()).note, key).ok).toBe(true);
  });
});

describe('an export', () => {
  const exported = { origin: 'log.example', storeId: 's', size: 2, digest: Buffer.alloc(32, 1) };

  it('is sealed with the key of the log', () => {
    const { prover, key } = given(2);
    expect(verifyNote(prover.seal(exported), key)).toMatchObject({ value: sealText(exported) });
  });

  it('is not sealed without a key', () => {
    expect(() => new Prover(new MemoryTrail(), undefined).seal(exported)).toThrow(CannotProve);
  });
});

describe('a proof is made of few reads', () => {
  it('for a log of 70,000 events, of a few tiles of each level', async () => {
    const { trail, prover } = given(70_000);
    const leaves = vi.spyOn(trail, 'leaves');
    const nodes = vi.spyOn(trail, 'nodes');
    const stored = vi.spyOn(trail, 'stored');
    await prover.checkpoint();
    await prover.receipt(257);
    await prover.inclusion(1, 69_999);
    await prover.consistency(300, 69_999);
    for (const calls of [leaves.mock.calls, nodes.mock.calls.map(([, ...rest]) => rest)]) {
      for (const [, count] of calls) expect(count).toBeLessThanOrEqual(256);
    }
    expect(leaves.mock.calls.length).toBeLessThanOrEqual(20);
    expect(nodes.mock.calls.length).toBeLessThanOrEqual(40);
    expect(stored.mock.calls).toEqual([
      [256, 1],
      [0, 1],
    ]);
  });
});

describe('a log with witnesses proves', () => {
  /** A log of 5 events, of which witnesses have cosigned the first 3. */
  async function cosigned() {
    const { trail, signer, prover: earlier, key } = given(3);
    const { note, ...head } = await earlier.checkpoint();
    const newest = { ...head, note: `${note}${Cosigner.generate('w.example').cosign(note, 1)}` };
    for (const event of recorded(...[1n, 2n, 3n, 4n, 5n].map((id) => placed(id))).slice(3)) {
      trail.append(encode(event));
    }
    const witnessed: { newest: SignedCheckpoint | undefined } = { newest };
    return { witnessed, prover: new Prover(trail, signer, undefined, witnessed), earlier, key };
  }

  const checkpointIn = (receipt: string) => JSON.parse(receipt).checkpoint;

  it('an event by the checkpoint with cosignatures, if it has the event', async () => {
    const { witnessed, prover, key } = await cosigned();
    const receipt = await prover.receipt(3);
    expect(checkpointIn(receipt)).toBe(witnessed.newest?.note);
    expect(verifyReceipt(receipt, key)).toMatchObject({ ok: true, value: { position: 3 } });
    expect(await prover.receipt(3, 'json', true)).toBe(receipt);
    expect(await prover.receipt(3, 'tlog-proof', true)).toContain(witnessed.newest?.note);
  });

  it('a later event by the newest checkpoint, unless cosignatures are required', async () => {
    const { prover, key } = await cosigned();
    const receipt = await prover.receipt(4);
    expect(checkpointIn(receipt)).toBe((await prover.checkpoint()).note);
    expect(verifyReceipt(receipt, key)).toMatchObject({ ok: true });
    await expect(prover.receipt(4, 'json', true)).rejects.toThrow(
      new CannotProve(
        'no checkpoint that covers position 4 has cosignatures of a quorum of witnesses yet',
      ),
    );
  });

  it('its newest state with cosignatures, and its newest state', async () => {
    const { witnessed, prover, earlier } = await cosigned();
    expect([prover.isWitnessed, earlier.isWitnessed]).toEqual([true, false]);
    expect(prover.witnessed()).toBe(witnessed.newest);
    expect((await prover.checkpoint()).size).toBe(5);
    witnessed.newest = undefined;
    expect(() => prover.witnessed()).toThrow(
      new CannotProve('no checkpoint has cosignatures of a quorum of witnesses yet'),
    );
    await expect(prover.receipt(1)).resolves.toContain('\\n5\\n');
  });

  it('its present state with cosignatures, if it is the one that they are for', async () => {
    const { witnessed, prover, earlier } = await cosigned();
    expect(await prover.bestCheckpoint()).toEqual(await prover.checkpoint());
    const { note, ...head } = await prover.checkpoint();
    witnessed.newest = {
      ...head,
      note: `${note}${Cosigner.generate('w.example').cosign(note, 1)}`,
    };
    expect(await prover.bestCheckpoint()).toBe(witnessed.newest);
    expect(await earlier.bestCheckpoint()).toEqual(await earlier.checkpoint());
  });

  it('none of that without witnesses', async () => {
    const { prover } = given(3);
    const none = new CannotProve('the log has no witnesses: WITNESS_POLICY names none');
    expect(() => prover.witnessed()).toThrow(none);
    await expect(prover.receipt(1, 'json', true)).rejects.toThrow(none);
  });
});
