import { describe, expect, it, vi } from 'vitest';
import { NoteSigner } from '../../../../../src/app/audit/proving/checkpoint.ts';
import { Prover } from '../../../../../src/app/audit/proving/prover.ts';
import type { TreeHead } from '../../../../../src/app/log/merkle-tree.ts';
import { DamagedStore } from '../../../../../src/app/ports/store.ts';
import { encode } from '../../../../../src/infra/events/codec.ts';
import { MemoryTrail } from '../../../../../src/infra/memory/trail.ts';
import { placed, recorded } from '../../../../support/events.ts';

/** A log of so many events, and the one that signs its checkpoints. */
function given(count: number, trail = new MemoryTrail()) {
  const events = recorded(...Array.from({ length: count }, (_, n) => placed(BigInt(n + 1))));
  for (const event of events) trail.append(encode(event));
  const signer = NoteSigner.generate('log.example');
  return { trail, signer, prover: new Prover(trail, signer) };
}

describe('a log signs', () => {
  it.each([
    ['as long', 300, 1],
    ['shorter', 300, 3],
    ['longer', 300, -1],
    ['much longer', 5, -600],
  ])('nothing of another log, even if that is %s', async (_, size, less) => {
    const { trail, prover, signer } = given(size);
    await prover.checkpoint();
    const other = new MemoryTrail();
    const events = [
      placed(9n),
      ...Array.from({ length: size - less }, (_, n) => placed(BigInt(n + 10))),
    ];
    for (const event of recorded(...events)) other.append(encode(event));
    const sign = vi.spyOn(signer, 'signCheckpoint');
    for (const name of ['treeHead', 'leaves', 'nodes', 'stored'] as const) {
      vi.spyOn(trail, name).mockImplementation(other[name].bind(other) as never);
    }
    await expect(prover.checkpoint()).rejects.toThrow(DamagedStore);
    await expect(prover.receipt(1)).rejects.toThrow(DamagedStore);
    expect(sign).not.toHaveBeenCalled();
  });

  it('its newest state, although an older one was read later', async () => {
    const { trail, prover } = given(3);
    const older = await trail.treeHead();
    trail.append(encode({ ...(recorded(placed(9n))[0] ?? expect.fail()), position: 4 }));
    const newest = await prover.checkpoint();
    vi.spyOn(trail, 'treeHead').mockResolvedValueOnce(older);
    expect(await prover.checkpoint()).toBe(newest);
    expect(JSON.parse(await prover.receipt(3)).checkpoint).toBe(newest.note);
  });

  it('one state at a time, however many are read at once', async () => {
    const { trail, signer, prover } = given(1);
    await prover.checkpoint();
    const heads: TreeHead[] = [];
    for (let position = 2; position <= 4; position++) {
      trail.append(encode({ ...(recorded(placed(9n))[0] ?? expect.fail()), position }));
      heads.push(await trail.treeHead());
    }
    const read = vi.spyOn(trail, 'treeHead');
    for (const head of [1, 2, 0].map((at) => heads[at] as TreeHead))
      read.mockResolvedValueOnce(head);
    const sign = vi.spyOn(signer, 'signCheckpoint');
    await Promise.all([prover.checkpoint(), prover.checkpoint(), prover.checkpoint()]);
    const sizes = sign.mock.calls.map(([size]) => size);
    expect(sizes).toStrictEqual([...new Set(sizes)].sort());
    expect((await prover.checkpoint()).size).toBe(4);
  });
});
