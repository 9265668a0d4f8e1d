import { NoteSigner } from '../../../src/app/audit/proving/checkpoint.ts';
import { Prover } from '../../../src/app/audit/proving/prover.ts';
import { mintKeyText } from '../../../src/app/keys/api-key.ts';
import { keyRecord } from '../../../src/app/keys/first-key.ts';
import type { Submission } from '../../../src/app/log/submission.ts';
import type { EventLog, FoldSource } from '../../../src/app/ports/event-log.ts';
import type { ApiKey } from '../../../src/app/ports/key-store.ts';
import type { StoreParts } from '../../../src/app/ports/store.ts';
import { Projector } from '../../../src/app/read/projector.ts';
import { OrderList } from '../../../src/app/state/order-list.ts';
import { Writer } from '../../../src/app/write/writer.ts';
import type { Instant } from '../../../src/domain/instant.ts';
import type { OrderId, PetId } from '../../../src/domain/order-id.ts';
import { bigintsAsText } from '../../kit/history/bigint-json.ts';

/** A store with everything in it that a store can have, and all that can be asked of it. */

/** The parts of an open store that are written and asked. */
export interface Parts extends Pick<StoreParts, 'keys' | 'refusals' | 'trail'> {
  readonly id: string;
  readonly log: EventLog;
  readonly foldSource: FoldSource;
}

const SIGNER = NoteSigner.generate('test');
const ORDERS = 400;
const OLD_REFUSALS = 30;
const BY = 'AbCdEfGh01';
const NOON = '2026-01-01T12:00:00.000Z' as Instant;
const KEYS: readonly ApiKey[] = Array.from({ length: 12 }, (_, n) => {
  const more = n % 2 === 0 ? {} : { expiresAt: '2027-01-01T00:00:00.000Z' as Instant };
  const about = { name: `key ${n}`, scopes: ['orders:read'], createdAt: NOON, ...more } as const;
  return keyRecord(mintKeyText(), about);
});

/** Commands of every kind, those with an idempotency key first: these are sent again. */
function submissions(): Submission[] {
  const all: Submission[] = [];
  const place = (n: number) => {
    const idempotencyKey = n % 3 === 0 ? `key-${n}` : undefined;
    const command = { type: 'PlaceNewOrder', petId: BigInt(n) as PetId, quantity: n } as const;
    all.push({ command, by: BY, commandId: `c-${n}`, idempotencyKey });
  };
  for (let n = 1; n <= ORDERS; n++) place(n);
  for (let n = 1; n <= ORDERS; n += 3) {
    const orderId = BigInt(n) as OrderId;
    all.push(
      { command: { type: 'ShipOrder', orderId, shipDate: NOON }, by: BY, commandId: `s-${n}` },
      {
        command: { type: 'CancelOrder', orderId: (orderId + 1n) as OrderId },
        by: BY,
        commandId: `x-${n}`,
        idempotencyKey: `cancel-${n}`,
      },
    );
  }
  // Among the newest changes are some that a retry may not repeat.
  for (let n = ORDERS + 1; n <= ORDERS * 1.3; n++) place(n);
  return all;
}

/**
 * Fills a store.
 * @param pause Called before the last quarter of the changes.
 */
export async function fill(
  { keys, log, refusals }: Pick<Parts, 'keys' | 'log' | 'refusals'>,
  pause: () => void | Promise<void>,
): Promise<void> {
  for (const key of KEYS) await keys.add(key);
  const writer = await Writer.open(log, () => Date.parse(NOON));
  const all = submissions();
  const execute = async (some: readonly Submission[]) => {
    for (let at = 0; at < some.length; at += 50) await writer.execute(some.slice(at, at + 50));
  };
  const late = Math.floor(all.length * 0.75);
  await refusals.append(refused(OLD_REFUSALS));
  await execute(all.slice(0, late));
  await pause();
  await keys.revoke((KEYS[1] as ApiKey).id, NOON);
  await execute(all.slice(late));
  await refusals.append(refused(10));
}

function refused(count: number) {
  const record = { at: NOON, code: 'unauthorized', method: 'GET', path: '/', requestId: 'r' };
  return Array.from({ length: count }, () => record);
}

/** The answers to all questions; `undefined` where one was refused. */
export type Answers = readonly (string | undefined)[];

/** Asks a store everything. Each answer stands for itself, as each request does. */
export async function answersTo(parts: Parts): Promise<Answers> {
  const answers: (string | undefined)[] = [];
  for (const ask of questions(parts)) answers.push(await answerTo(ask));
  return answers;
}

function questions({ id, log, foldSource, trail, keys, refusals }: Parts) {
  const prover = new Prover(trail, SIGNER);
  const all: readonly (() => unknown)[] = [
    () => id,
    () => listOf(log, foldSource),
    () => trail.stored(0, 10_000),
    ...[0, 100, 255, 256, 400, 520].map((after) => () => trail.stored(after, 1)),
    () => trail.treeHead(),
    ...[1, 256, 257, 500].map((position) => () => prover.receipt(position)),
    ...[1, 300].map((position) => () => prover.inclusion(position, 500)),
    ...[256, 300].map((size) => () => prover.consistency(size, 512)),
    () => keys.list(),
    ...KEYS.map((key) => () => keys.find(key.id)),
    // The newest may be lost: their commits do not wait for the disk.
    async () => (await refusals.newest(100)).slice(0, OLD_REFUSALS),
    ...retries().map((retry) => async () => {
      const [outcome] = await (await Writer.open(log, () => Date.parse(NOON))).execute([retry]);
      if (outcome?.kind === 'unavailable' || outcome?.kind === 'unknown') {
        throw new Error(outcome.cause);
      }
      return outcome;
    }),
  ];
  return all;
}

async function listOf(log: EventLog, foldSource: FoldSource) {
  const list = new OrderList((orders) => orders);
  await new Projector(log, list, foldSource).catchUp();
  return list.encoded().chunks;
}

/** Commands again that have an idempotency key, and one that is new. */
function retries(): readonly Submission[] {
  const keyed = submissions().filter(({ idempotencyKey }) => idempotencyKey !== undefined);
  const place = { type: 'PlaceNewOrder', petId: 7n as PetId, quantity: 1 } as const;
  const fresh = { command: place, by: BY, commandId: 'c-new', idempotencyKey: 'new' };
  return [...keyed.filter((_, n) => n % 25 === 0), fresh];
}

async function answerTo(ask: () => unknown): Promise<string | undefined> {
  try {
    const answer = await ask();
    return JSON.stringify(answer, bigintsAsText);
  } catch {
    return undefined;
  }
}
