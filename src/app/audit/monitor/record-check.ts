/**
 * Checks the records of a published log: each by the hash of its leaf, which is known to be signed,
 * and all together by the rules of a log.
 *
 * The rules need the state of every order. It is folded again at a start, from rows that take 9
 * bytes an event: the id of the order, and the type of the event by its place among all types. An
 * order that has ended can have no event after that, so the dates are not needed.
 */

import { createHash, type Hash } from 'node:crypto';
import { type Instant, millisecondsOf } from '../../../domain/instant.ts';
import type { OrderId, PetId } from '../../../domain/order-id.ts';
import { TILE_HASHES } from '../../log/merkle-proofs.ts';
import { HASH_BYTES, leafHash } from '../../log/merkle-tree.ts';
import { EVENT_TYPES, fieldsOf, type RecordedEvent } from '../../log/recorded-event.ts';
import type { DecodeStrictly } from '../../ports/evidence.ts';
import type { Rows } from '../../ports/published-log.ts';
import { OrderImage } from '../../state/order-image.ts';
import { EventRules } from '../proofs/event-rules.ts';
import type { Finding } from '../proofs/trail-check.ts';
import type { PublishedTree } from './published-tree.ts';
import { readAhead } from './read-ahead.ts';

/** The length of a row of {@link MonitorFiles.orders}. */
export const ORDER_ROW_BYTES = 9;
const CHUNK_ROWS = 65_536;

/** The events that were checked, from the first. */
export interface CheckedEvents {
  readonly events: number;
  /** The time of the last one; empty if there is none. */
  readonly at: Instant | '';
  /** SHA-256 of their rows, in base64. */
  readonly digest: string;
}

interface KnownRows {
  readonly leaves: Rows;
  readonly orders: Rows;
}

export class RecordCheck {
  readonly #known: KnownRows;
  readonly #rules: EventRules;
  readonly #digest: Hash;
  #at: Instant | '';

  private constructor(known: KnownRows, rules: EventRules, digest: Hash, at: Instant | '') {
    this.#known = known;
    this.#rules = rules;
    this.#digest = digest;
    this.#at = at;
  }

  /** Continues a check. It begins again with the first event if its rows are not as they were. */
  static continue(decode: DecodeStrictly, known: KnownRows, checked?: CheckedEvents): RecordCheck {
    const { orders } = known;
    if (checked !== undefined && checked.events <= orders.count) {
      const digest = digestOf(orders, checked.events);
      if (digest.copy().digest('base64') === checked.digest) {
        return new RecordCheck(
          known,
          new EventRules(decode, imageOf(orders, checked)),
          digest,
          checked.at,
        );
      }
    }
    return new RecordCheck(known, new EventRules(decode), createHash('sha256'), '');
  }

  get checked(): CheckedEvents {
    const digest = this.#digest.copy().digest('base64');
    return { events: this.#rules.due - 1, at: this.#at, digest };
  }

  /**
   * Checks all records that a tree has beyond those checked. Its leaves must be known. Returns the
   * first that is wrong; must not be called again then.
   */
  async advance(tree: PublishedTree): Promise<Finding | undefined> {
    if (this.#rules.due > tree.size) return undefined;
    const from = Math.floor((this.#rules.due - 1) / TILE_HASHES);
    const to = Math.ceil(tree.size / TILE_HASHES);
    for await (const [index, records] of readAhead(from, to, (at) => tree.records(at))) {
      const first = index * TILE_HASHES;
      const leaves = this.#known.leaves.read(first, records.length);
      const rows: Buffer[] = [];
      const at = this.#rules.due - 1;
      let finding: Finding | undefined;
      for (const [place, record] of records.entries()) {
        const leaf = leaves.subarray(place * HASH_BYTES, (place + 1) * HASH_BYTES);
        const problem = this.#problemOf(first + place + 1, record, leaf, rows);
        if (problem === undefined) continue;
        finding = { from: first + place + 1, problem };
        break;
      }
      const added = Buffer.concat(rows);
      this.#known.orders.write(at, added);
      this.#digest.update(added);
      if (finding !== undefined) return finding;
    }
    return undefined;
  }

  #problemOf(position: number, record: string, leaf: Buffer, rows: Buffer[]): string | undefined {
    if (!leafHash(record).equals(leaf)) return 'its record is not the one that was hashed';
    if (position < this.#rules.due) return undefined;
    const fields = fieldsOf(record);
    if (fields === undefined) return 'its record is not in the one form that it can have';
    const problem = this.#rules.problemOf(fields);
    if (problem !== undefined) return problem;
    const last = this.#rules.last as RecordedEvent;
    this.#at = last.metadata.at;
    rows.push(rowOf(last));
    return undefined;
  }
}

function rowOf({ event: { orderId, type } }: RecordedEvent): Buffer {
  const row = Buffer.alloc(ORDER_ROW_BYTES);
  row.writeBigInt64BE(orderId);
  row.writeUInt8(EVENT_TYPES.indexOf(type), ORDER_ROW_BYTES - 1);
  return row;
}

function digestOf(rows: Rows, count: number): Hash {
  const digest = createHash('sha256');
  for (const chunk of chunksOf(rows, count)) digest.update(chunk);
  return digest;
}

function imageOf(rows: Rows, { events, at }: CheckedEvents): OrderImage {
  const image = new OrderImage();
  const none = { petId: 0n as PetId, quantity: 0, shipDate: Number.NaN, reason: undefined };
  for (const chunk of chunksOf(rows, events)) {
    for (let from = 0; from < chunk.length; from += ORDER_ROW_BYTES) {
      const orderId = chunk.readBigInt64BE(from) as OrderId;
      const type = EVENT_TYPES[
        chunk.readUInt8(from + ORDER_ROW_BYTES - 1)
      ] as RecordedEvent['event']['type'];
      const [position, version] = [image.position + 1, image.version(orderId) + 1];
      image.foldInput({
        position,
        version,
        type,
        orderId,
        at: millisecondsOf(at as Instant),
        ...none,
      });
    }
  }
  return image;
}

function* chunksOf(rows: Rows, count: number): Generator<Buffer> {
  for (let from = 0; from < count; from += CHUNK_ROWS) {
    yield rows.read(from, Math.min(CHUNK_ROWS, count - from));
  }
}
