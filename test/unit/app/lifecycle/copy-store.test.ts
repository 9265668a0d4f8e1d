import { describe, expect, it } from 'vitest';
import { copyStore } from '../../../../src/app/lifecycle/copy-store.ts';
import { UserError } from '../../../../src/app/lifecycle/user-error.ts';
import { Epochs } from '../../../../src/app/log/epochs.ts';
import type { StoredFields } from '../../../../src/app/log/recorded-event.ts';
import type { KeptOutcome, OutcomeName } from '../../../../src/app/ports/event-log.ts';
import { SCOPES } from '../../../../src/app/ports/key-store.ts';
import type { RefusalRecord } from '../../../../src/app/ports/refusal-trail.ts';
import type { StoreCopy, StoreOriginal } from '../../../../src/app/ports/store-copy.ts';
import type { OrderId } from '../../../../src/domain/order-id.ts';
import { encode } from '../../../../src/infra/events/codec.ts';
import { MemoryKeyStore } from '../../../../src/infra/memory/key-store.ts';
import { MemoryRefusals } from '../../../../src/infra/memory/refusals.ts';
import { MemorySigningKeys } from '../../../../src/infra/memory/signing-keys.ts';
import { MemoryTrail } from '../../../../src/infra/memory/trail.ts';
import { refusal } from '../../../contract/refusal-trail.ts';
import { storeCopyContract } from '../../../contract/store-copy.ts';
import { sqlitePlace } from '../../../support/copy-places.ts';
import { LATER, NOON, placed, recorded } from '../../../support/events.ts';

storeCopyContract(
  'from SQLite to SQLite',
  () => sqlitePlace(),
  () => sqlitePlace(),
);

/** The trail of refusals, which knows how many came at once. */
class CountedRefusals extends MemoryRefusals {
  readonly counts: number[] = [];

  override append(records: readonly RefusalRecord[]): Promise<void> {
    this.counts.push(records.length);
    return super.append(records);
  }
}

/** A store in memory that can be copied, and be a copy. */
class MemoryPlace implements StoreOriginal, StoreCopy {
  readonly id = 's';
  readonly copyId = 'c';
  readonly trail = new MemoryTrail();
  readonly refusals = new CountedRefusals();
  readonly keys = new MemoryKeyStore();
  readonly signingKeys = new MemorySigningKeys();
  readonly kept: KeptOutcome[] = [];
  /** How many outcomes came at once. */
  readonly counts: number[] = [];
  epochs = new Epochs(this.id);
  isHandedOver = false;
  isWhole = false;

  async append(events: readonly StoredFields[]): Promise<void> {
    for (const event of events) this.trail.append(event);
  }

  async keep(outcomes: readonly KeptOutcome[]): Promise<void> {
    this.counts.push(outcomes.length);
    this.kept.push(...outcomes);
  }

  async keptOutcomes({ by, key }: OutcomeName, limit: number): Promise<readonly KeptOutcome[]> {
    const after = this.kept.filter((it) => it.by > by || (it.by === by && it.key > key));
    return after.slice(0, limit);
  }

  async enter(epochs: Epochs): Promise<void> {
    this.epochs = epochs;
  }

  async beginDueEpoch(): Promise<Epochs> {
    return this.epochs;
  }

  async handOver(): Promise<void> {
    this.isHandedOver = true;
  }

  async wasHandedTo(): Promise<boolean> {
    return this.isHandedOver;
  }

  async finish(): Promise<void> {
    this.isWhole = true;
  }

  async close(): Promise<void> {}
}

function outcomes(count: number): KeptOutcome[] {
  return Array.from({ length: count }, (_, n) => {
    const decided = { kind: 'accepted', orderId: 1n as OrderId, version: 1 } as const;
    return { by: '0123456789', key: String(n).padStart(5, '0'), fingerprint: `${n}`, decided };
  });
}

describe('a copy', () => {
  it('is made in large chunks, and of an empty store', async () => {
    const [from, to] = [new MemoryPlace(), new MemoryPlace()];
    await copyStore(from, to, () => {});
    expect([to.counts, to.refusals.counts]).toStrictEqual([[], []]);
    from.kept.push(...outcomes(4_001));
    const refusals = Array.from({ length: 4_001 }, (_, n) => refusal(n));
    await from.refusals.append(refusals);
    await copyStore(from, to, () => {});
    expect([to.counts, to.refusals.counts]).toStrictEqual([
      [2_000, 2_000, 1],
      [2_000, 2_000, 1],
    ]);
    expect(to.kept).toStrictEqual(from.kept);
    expect(await to.refusals.newest(5_000)).toStrictEqual(await from.refusals.newest(5_000));
  });

  it('has the present keys, however they have changed since it was begun', async () => {
    const [from, to] = [new MemoryPlace(), new MemoryPlace()];
    const key = { name: 'shop', hash: Buffer.alloc(32, 7), scopes: SCOPES, createdAt: NOON };
    const keys = ['used', 'revoked since', 'new'].map((id) => ({ id, ...key }));
    for (const each of keys) await from.keys.add(each);
    for (const each of keys.slice(0, 2)) await to.keys.add(each);
    await from.keys.revoke('revoked since', LATER);
    await copyStore(from, to, () => {});
    expect(await to.keys.list()).toStrictEqual(await from.keys.list());
  });

  it('has the record of signing keys, however much of it was there', async () => {
    const [from, to] = [new MemoryPlace(), new MemoryPlace()];
    const [one, other] = ['one', 'other'].map((verifierKey) => ({ verifierKey, since: NOON }));
    if (one === undefined || other === undefined) expect.fail();
    await from.signingKeys.add(one, 0);
    await copyStore(from, to, () => {});
    await from.signingKeys.add(other, 1);
    await copyStore(from, to, () => {});
    expect(await to.signingKeys.list()).toStrictEqual([one, other]);
  });

  it('of another log begins no epoch', async () => {
    const [from, to] = [new MemoryPlace(), new MemoryPlace()];
    from.beginDueEpoch = () => expect.fail();
    await to.append(recorded(placed(2n)).map(encode));
    await expect(copyStore(from, to, () => {})).rejects.toThrow('Nothing was changed.');
    expect(from.isHandedOver).toBe(false);
  });

  it('is not completed if its log is another one', async () => {
    const [from, to] = [new MemoryPlace(), new MemoryPlace()];
    await from.append(recorded(placed(1n)).map(encode));
    to.append = async () => to.trail.append(encode(recorded(placed(2n))[0] ?? expect.fail()));
    await expect(copyStore(from, to, () => {})).rejects.toThrow(UserError);
    expect(to.isWhole).toBe(false);
  });
});
