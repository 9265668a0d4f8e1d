import { Command, InvalidArgumentError, Option } from 'commander';

/** The options of the bench. */
export interface Options {
  readonly quick: boolean;
  readonly only: readonly string[];
  readonly rounds: number;
  readonly seconds: number;
  readonly orders: number;
  readonly load?: 'wrk' | 'autocannon';
  readonly emmett?: string;
  readonly postgres?: boolean;
  readonly against?: string;
  readonly json?: string;
  readonly markdown?: string;
}

const FULL = { rounds: 7, seconds: 2, orders: 1_000_000 };
const QUICK = { rounds: 3, seconds: 1, orders: 100_000 };

/** Parses the arguments. Prints their errors, or the help, and then ends the process. */
export function readOptions(args: readonly string[], names: readonly string[]): Options {
  const command = new Command('npm run bench --')
    .description('Measures the service against floors and competitors, on this machine.')
    .option('--quick', 'a few rows in less than a minute, on smaller stores', false)
    .option('--only <names>', `these scenarios only, of: ${names.join(', ')}`, namesOf(names))
    .option('--rounds <number>', `default ${FULL.rounds}, quick ${QUICK.rounds}`, wholeNumber)
    .option('--seconds <number>', `of each load; ${FULL.seconds}, quick ${QUICK.seconds}`, number)
    .option(
      '--orders <number>',
      'in the largest store',
      thousandsTo(99_999_000, 'Not whole thousands.'),
    )
    .option(
      '--scale <orders>',
      'the scenario scale alone, up to 200000000 orders',
      thousandsTo(200_000_000, 'Not whole thousands up to 200 million.'),
    )
    .addOption(
      new Option('--load <generator>', 'default: wrk if installed').choices(['wrk', 'autocannon']),
    )
    .option('--emmett <folder>', 'where Emmett is installed, to be compared with')
    .option('--postgres', 'PostgreSQL instead, from a package: the rows of the scenario postgres')
    .option('--against <folder>', 'another build of the service instead: the scenario against')
    .option('--json <file>', 'write all results to a file')
    .option('--markdown <file>', 'write the table to a file');
  command.parse([...args], { from: 'user' });
  const { scale, ...given } = command.opts<Partial<Options> & { quick: boolean; scale?: number }>();
  const asked = scale === undefined ? {} : { only: ['scale'], orders: scale };
  return { only: [], ...(given.quick ? QUICK : FULL), ...given, ...asked };
}

function namesOf(known: readonly string[]): (text: string) => readonly string[] {
  return (text) => {
    const names = text.split(',');
    const unknown = names.filter((name) => !known.includes(name));
    if (unknown.length > 0) throw new InvalidArgumentError(`Unknown: ${unknown.join(', ')}.`);
    return names;
  };
}

function number(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 3_600)) throw new InvalidArgumentError('Not from 0 to 3,600.');
  return value;
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new InvalidArgumentError('Not a number from 1 to 999.');
  return Number(text);
}

function thousandsTo(max: number, otherwise: string): (text: string) => number {
  return (text) => {
    if (!/^[1-9]\d*000$/.test(text) || Number(text) > max) {
      throw new InvalidArgumentError(otherwise);
    }
    return Number(text);
  };
}
