/** The readers of option values that several commands share. */

import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { verifyKey } from '../../app/audit/proofs/verifier.ts';
import { parseWitnessPolicy, type WitnessPolicy } from '../../app/audit/proofs/witness-policy.ts';
import { UserError } from '../../app/lifecycle/user-error.ts';
import type { Epochs, Place } from '../../app/log/epochs.ts';
import { MAX_POSITION, PLACE } from '../../app/log/positions.ts';
import { parseInstant } from '../../domain/instant.ts';
import { type OrderId, parseOrderId } from '../../domain/order-id.ts';
import { readPlainText, requirePlainText } from '../../infra/process/small-file.ts';

export function readOrderId(text: string): OrderId {
  const id = parseOrderId(text);
  if (id === undefined) throw new InvalidArgumentError('It must be a whole number of 64 bits.');
  return id;
}

/** Returns a reader of whole numbers in a range. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}

/** Returns a reader of texts that are passed on as they are given. */
function textOf(isRight: (text: string) => boolean, form: string): (text: string) => string {
  return (text) => {
    if (isRight(text)) return text;
    throw new InvalidArgumentError(`It must be ${form}.`);
  };
}

const isPosition = (text: string) => PLACE.test(text);
const isTime = (text: string) => parseInstant(text) !== undefined;
const A_POSITION = 'a position such as 4711';
const A_TIME = 'a date-time such as 2026-01-31T12:00:00Z';

export const readPosition = textOf(isPosition, A_POSITION);
export const readTime = textOf(isTime, A_TIME);
export const readMoment = textOf(
  (text) => isPosition(text) || isTime(text),
  `${A_POSITION}, or ${A_TIME}`,
);

/** Reads a position, which may name its epoch. {@link placeIn} says if the log has it. */
export function readPlace(text: string): Place {
  const [, epoch, position] = PLACE.exec(text) ?? [];
  if (Number(position) <= MAX_POSITION) return { epoch, position: Number(position) };
  throw new InvalidArgumentError(`It must be ${A_POSITION}.`);
}

/** Returns a position of the log. Throws {@link UserError} for one that was lost, or that was given twice. */
export function placeIn(epochs: Epochs, option: string, place: Place): number {
  const problem = epochs.problemOf(place);
  if (problem === undefined) return place.position;
  throw new UserError(`${option}: ${problem}.`);
}

const UNIT_SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

/** Returns a reader of times, in seconds up to a maximum: `90`, `90s`, `15m`, `12h` or `7d`. */
export function duration(max: number): (text: string) => number {
  return (text) => {
    const [, count = '', unit = 's'] = /^(\d{1,7})([smhd]?)$/.exec(text) ?? [];
    const seconds = Number(count) * UNIT_SECONDS[(unit || 's') as keyof typeof UNIT_SECONDS];
    if (seconds >= 1 && seconds <= max) return seconds;
    throw new InvalidArgumentError(`It must be from 1 to ${max} seconds: 90, 90s, 15m, 12h.`);
  };
}

/** Returns a reader of addresses with http or https. {@link fetch} shows a password in them in its errors. */
export function httpUrl(
  example: string,
  isRight: (url: URL) => boolean = () => true,
): (text: string) => string {
  return (text) => {
    const url = URL.parse(text);
    if (url === null || !/^https?:$/.test(url.protocol) || !isRight(url)) {
      throw new InvalidArgumentError(`It must be a URL such as ${example}.`);
    }
    if (url.username === '' && url.password === '') return text;
    throw new InvalidArgumentError('It must have neither a user nor a password.');
  };
}

/** The formats of files of orders, by the ends of their names. */
const FORMATS: Readonly<Record<string, 'ndjson' | 'csv'>> = {
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.csv': 'csv',
};

/** Returns the format of a file of orders; `undefined` if its name does not show it. */
export function formatOf(file: string): 'ndjson' | 'csv' | undefined {
  return FORMATS[extname(file).toLowerCase()];
}

/** Adds a text to those of an option that can be repeated. */
export function addText(text: string, texts: readonly string[]): readonly string[] {
  return [...texts, text];
}

/** Adds a public key, or the one in a file, to those of an option that can be repeated. */
export function addKey(given: string, keys: readonly string[] = []): readonly string[] {
  const text = existsSync(given) ? readKeyText(given) : given;
  const verdict = verifyKey(text);
  if (verdict.ok) return [...keys, text];
  throw new InvalidArgumentError(`It is no public key, nor a file with one: ${verdict.reason}.`);
}

function readKeyText(file: string): string {
  try {
    return readPlainText(file).replace(/\n$/, '');
  } catch (error) {
    throw new InvalidArgumentError(`${file} cannot be read: ${(error as Error).message}.`);
  }
}

/** Returns the witness policy (C2SP tlog-policy) in a file. Throws {@link UserError} if there is none. */
export function readPolicyFile(file: string): WitnessPolicy {
  const policy = parseWitnessPolicy(requirePlainText(file));
  if (policy.ok) return policy.value;
  throw new UserError(`${file}: ${policy.reason}.`);
}
