/** The options for the limits of a key, and the words for them. */

import { type Command, InvalidArgumentError } from 'commander';
import type { LimitChange } from '../../app/keys/limit-change.ts';
import type { KeyLimits } from '../../app/ports/key-store.ts';
import { wholeNumber } from './options.ts';

const readCount = wholeNumber(1, 999_999);

/** The windows of a rate, in seconds. */
const WINDOWS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 };

/**
 * Adds the options for limits to a command.
 * @param orNone Set where `none` takes a limit away.
 */
export function addLimitOptions(command: Command, orNone?: 'or none'): Command {
  const may = <Value>(read: (text: string) => Value) => {
    return (text: string) => (orNone !== undefined && text === 'none' ? text : read(text));
  };
  const hint = orNone === undefined ? '' : `, ${orNone}`;
  return command
    .option(
      '--rate <rate>',
      `requests a second, minute or hour: 100/s, 600/m, 9000/h${hint}`,
      may(readRate),
    )
    .option(
      '--burst <count>',
      `requests at once after a pause; as many as --rate has${hint}`,
      may(readCount),
    )
    .option('--concurrent <count>', `requests under way at once${hint}`, may(readCount))
    .option('--streams <count>', `event streams open at once${hint}`, may(readCount));
}

/** Returns the limits of a key as the options have them, such as `rate=100/s burst=200`. */
export function limitWords({ rate, concurrent, streams }: KeyLimits = {}): string {
  const unit = Object.keys(WINDOWS).find((name) => WINDOWS[name] === rate?.seconds);
  const words = [
    ...(rate === undefined ? [] : [`rate=${rate.requests}/${unit}`, `burst=${rate.burst}`]),
    ...(concurrent === undefined ? [] : [`concurrent=${concurrent}`]),
    ...(streams === undefined ? [] : [`streams=${streams}`]),
  ];
  return words.join(' ') || 'none';
}

function readRate(text: string): LimitChange['rate'] {
  const [, requests = '', unit = ''] = /^([1-9]\d{0,5})\/([smh])$/.exec(text) ?? [];
  const seconds = WINDOWS[unit];
  if (seconds !== undefined) return { requests: Number(requests), seconds };
  throw new InvalidArgumentError(
    'It must be a number of requests, 1 to 999999, a second, minute or hour: 100/s, 600/m, 9000/h.',
  );
}
