import type { Answer, Operation, Request, Row } from '../history/history.ts';
import { type Evidence, RULES, type Violation } from './violation.ts';

/** Describes violations for people. */

const COLUMNS = 40;

/** Returns an operation in a few words, such as "cancel 17 by client 3". */
export function inWords({ client, request }: Operation): string {
  return `${asked(request)} by client ${client}`;
}

/**
 * Returns a violation as a timeline. Every start and end of an operation has a column of its own,
 * which shows what overlaps; the milliseconds beside it count from the first of them.
 */
export function describeViolation({ rule, orders, evidence, why }: Violation): string {
  const lines = evidence.toSorted((a, b) => a.operation.invoked - b.operation.invoked);
  const start = lines[0]?.operation.invoked ?? 0;
  const column = columnsOf(lines);
  const rows = lines.map((line) => {
    const { operation } = line;
    const { client, request, invoked } = operation;
    const until = endOf(line);
    const times = `${milliseconds(invoked - start)}  ${milliseconds(until - start)}`;
    const bar = drawn(column(invoked), until === Infinity ? undefined : column(until));
    const answer = line.isOpen ? '(whatever was answered)' : told(operation.answer, orders);
    return `  ${`${client}`.padStart(6)}  ${times}  ${bar}  ${asked(request)} → ${answer}`;
  });
  const about = orders.length === 0 ? '' : ` (order ${orders.join(', order ')})`;
  return [
    `Broken: ${RULES[rule]}${about}.`,
    '',
    `  client     from ms       to ms`,
    ...rows,
    '',
    ...why.map((sentence) => `  ${sentence}`),
  ].join('\n');
}

function endOf({ operation, isOpen }: Evidence): number {
  return isOpen ? Infinity : operation.returned;
}

/** Assigns a column to every distinct time, from left to right. */
function columnsOf(lines: readonly Evidence[]): (time: number) => number {
  const ends = lines.flatMap((line) => [line.operation.invoked, endOf(line)]);
  const times = [...new Set(ends)].filter(Number.isFinite).sort((a, b) => a - b);
  const width = Math.min(4, COLUMNS / times.length);
  return (time) => Math.floor(times.indexOf(time) * width);
}

function drawn(from: number, to: number | undefined): string {
  const bar =
    to === undefined
      ? '├'.padEnd(COLUMNS + 2 - from, '·')
      : `├${'─'.repeat(Math.max(0, to - from - 1))}┤`;
  return `${' '.repeat(from)}${bar}`.padEnd(COLUMNS + 2);
}

function milliseconds(nanoseconds: number): string {
  const text = nanoseconds === Infinity ? 'never' : (nanoseconds / 1e6).toFixed(3);
  return text.padStart(10);
}

/** Returns a request in a few words, the same for equal requests. */
export function asked(request: Request): string {
  switch (request.kind) {
    case 'place': {
      const date = request.shipDate === undefined ? '' : ` for ${request.shipDate}`;
      const id = request.id === undefined ? '' : ` ${request.id}:`;
      return `place${id} ${request.quantity} of pet ${request.petId}${date}`;
    }
    case 'ship':
      return `ship ${request.id} on ${request.shipDate}`;
    case 'cancel':
    case 'get':
      return `${request.kind} ${request.id}`;
    case 'list':
      return 'list';
  }
}

function told(answer: Answer, orders: readonly bigint[]): string {
  switch (answer.kind) {
    case 'accepted':
      return answer.order === undefined ? 'accepted' : shown(answer.order);
    case 'shown':
      return shown(answer.order);
    case 'listed': {
      const rows = orders.map((id) => answer.orders.find((row) => row.id === id));
      return rows.map((row, index) => (row ? shown(row) : `no ${orders[index]}`)).join(', ');
    }
    case 'refused':
      return answer.reason;
    case 'untouched':
      return 'nothing was done';
    case 'unknown':
      return '(no answer)';
    case 'unexpected':
      return answer.words;
  }
}

function shown({ id, petId, quantity, shipDate, complete, status }: Row): string {
  const state = status ?? (complete ? 'complete' : 'not complete');
  const date = shipDate === undefined ? '' : ` for ${shipDate}`;
  return `${id}: ${quantity} of pet ${petId}${date}, ${state}`;
}
