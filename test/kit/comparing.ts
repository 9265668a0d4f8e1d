import { apart, asText, notDue } from './aggregate/text.ts';
import { grouped } from './grouped.ts';
import { asTexts } from './oracle/differing.ts';
import { brokenListRule } from './oracle/list-rules.ts';
import type { Expected } from './oracle/store.ts';
import { type Recorded, type Rule, type Told, violation } from './target.ts';
import type { Order, OrderEvent } from './vocabulary.ts';

/**
 * Compares the results of a target with those of the oracle. Throws a Violation at a difference.
 */

const ANSWER: Rule = 'every answer is that of the table';
export const RECORDED: Rule = 'every change is recorded once, and nothing else is';

/** @param what Names the command in the message. */
export function checkAnswer(what: string, told: Told, expected: Expected): void {
  if (outcomeOf(told) !== outcomeOf(expected)) {
    throw violation(ANSWER, `${what}: ${notDue(outcomeOf(told), outcomeOf(expected))}`);
  }
  if (told.kind === 'rejected' || expected.kind === 'rejected') return;
  const { orderId, version, events } = told;
  if (orderId !== undefined && orderId !== expected.orderId) {
    const [one, other] = asTexts(orderId, expected.orderId);
    throw violation(ANSWER, `${what}: it is order ${one}, and should be order ${other}`);
  }
  if (version !== undefined && version !== expected.version) {
    const [one, other] = asTexts(version, expected.version);
    throw violation(RECORDED, `${what}: ${one} events by now, and should be ${other}`);
  }
  if (events !== undefined) checkRecorded(what, events, expected.events);
}

/** Compares a list. */
export function checkList(shown: readonly Order[], expected: readonly Order[]): void {
  const broken = brokenListRule(shown, expected);
  if (broken !== undefined) throw violation(broken.rule, broken.detail);
}

function checkRecorded(
  what: string,
  events: readonly OrderEvent[],
  expected: readonly OrderEvent[],
): void {
  const differ = events.findIndex((event, index) => !sameEvent(event, expected[index]));
  if (differ === -1 && events.length === expected.length) return;
  const [one, other] = differing(textsOf, events, expected);
  throw violation(RECORDED, `${what}: ${notDue(one, other)}`);
}

/** Groups recorded events by order. */
export function byOrderId(recorded: readonly Recorded[]): ReadonlyMap<bigint, readonly Recorded[]> {
  return grouped(recorded, ({ event }) => event.orderId);
}

/** Compares the recorded events of one order with the expected ones. */
export function checkStream(recorded: readonly Recorded[], expected: readonly OrderEvent[]): void {
  for (const [index, { event, version }] of recorded.entries()) {
    const wanted = expected[index];
    if (wanted === undefined || !sameEvent(event, wanted)) {
      const [one, instead] =
        wanted === undefined ? [textOf(event), 'nothing'] : differing(textOf, event, wanted);
      throw violation(RECORDED, `${one}, where ${instead} should be`);
    }
    if (version !== index + 1) {
      const [one] = asTexts(version, index + 1);
      const detail = `event ${index + 1} of order ${event.orderId} has the version ${one}`;
      throw violation('positions are dense and versions count', detail);
    }
  }
  const lost = expected[recorded.length];
  if (lost !== undefined) throw violation(RECORDED, `${textOf(lost)} is missing`);
}

/** Checks the positions of a whole log. */
export function checkPositions(recorded: readonly Recorded[]): void {
  for (const [index, { position }] of recorded.entries()) {
    if (position === index + 1) continue;
    const [one] = asTexts(position, index + 1);
    const detail = `event ${index + 1} of the log has the position ${one}`;
    throw violation('positions are dense and versions count', detail);
  }
}

/** Checks that the events of one client have the order of its commands in the log. */
export function checkSequence(
  recorded: ReadonlyMap<bigint, readonly Recorded[]>,
  expected: readonly OrderEvent[],
): void {
  const counts = new Map<bigint, number>();
  let last: Recorded | undefined;
  for (const { orderId } of expected) {
    const count = counts.get(orderId) ?? 0;
    counts.set(orderId, count + 1);
    const next = recorded.get(orderId)?.[count] as Recorded;
    if (last !== undefined && next.position < last.position) {
      const detail = `${textOf(next.event)} is before ${textOf(last.event)}, which was answered earlier`;
      throw violation('the log has the events in the order of their commands', detail);
    }
    last = next;
  }
}

function sameEvent(event: OrderEvent, other: OrderEvent | undefined): boolean {
  if (event.type !== other?.type || event.orderId !== other.orderId) return false;
  if (event.type === 'OrderCancelled') return event.reason === reasonOf(other);
  if (other.type === 'OrderCancelled') return false;
  if (event.shipDate !== other.shipDate) return false;
  if (event.type === 'OrderShipped' || other.type === 'OrderShipped') return true;
  return event.petId === other.petId && event.quantity === other.quantity;
}

function reasonOf(event: OrderEvent): string | undefined {
  return event.type === 'OrderCancelled' ? event.reason : undefined;
}

function outcomeOf(told: Told | Expected): string {
  return told.kind === 'accepted' ? 'accepted' : `refused as ${told.reason}`;
}

function textsOf(events: readonly OrderEvent[]): string {
  return events.map(textOf).join(', ') || 'nothing';
}

/** Returns two values in a few words if these differ, and with all of their members otherwise. */
function differing<Value>(words: (value: Value) => string, one: Value, other: Value) {
  const [first, second] = [words(one), words(other)];
  return first === second ? apart(asText(one), asText(other)) : ([first, second] as const);
}

function textOf(event: OrderEvent): string {
  return `${event.type} of order ${event.orderId}`;
}
