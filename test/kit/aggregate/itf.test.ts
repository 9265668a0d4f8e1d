import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folder.ts';
import { type Command, copy } from '../starter/library.ts';
import { LOANS } from '../starter/loans.ts';
import { decodeItf, type ItfTrace, itfTraces } from './itf.ts';
import { kitFor } from './kit.ts';
import type { Program, Step } from './program.ts';
import { deciderTarget } from './target.ts';

const traceOf = (...states: object[]) => JSON.stringify({ '#meta': { format: 'ITF' }, states });

describe('A value of a trace', () => {
  test.each([
    ['an integer', { '#bigint': '-9223372036854775809' }, -9223372036854775809n],
    ['a small integer', 3, 3n],
    ['a text', '#set', '#set'],
    ['a truth value', true, true],
    ['a list', [{ '#bigint': '1' }, 'x'], [1n, 'x']],
    ['a set', { '#set': [{ '#bigint': '2' }] }, [2n]],
    ['a tuple', { '#tup': [] }, []],
    ['a map', { '#map': [[{ '#bigint': '1' }, 'one']] }, new Map([[1n, 'one']])],
    ['a record', { id: { '#bigint': '1' }, next: { '#tup': [] } }, { id: 1n, next: [] }],
    ['a variant', { tag: 'Some', value: 'x' }, { tag: 'Some', value: 'x' }],
    ['an unserializable value', { '#unserializable': 'Nat' }, 'Nat'],
  ])('that is %s', (_, json, value) => {
    const { states } = decodeItf('one', traceOf({ '#meta': { index: 0 }, x: json }));
    expect(states).toStrictEqual([{ variables: { x: value }, picks: {} }]);
  });

  test('that an action drew stands apart from the variables, as does the action', () => {
    const state = {
      x: 1,
      'mbt::actionTaken': 'lend',
      'mbt::nondetPicks': {
        to: { tag: 'Some', value: 'ann' },
        by: { tag: 'None', value: { '#tup': [] } },
      },
    };
    const { states } = decodeItf('one', traceOf(state));
    expect(states).toStrictEqual([{ variables: { x: 1n }, action: 'lend', picks: { to: 'ann' } }]);
  });
});

describe('A text that is no trace is refused with its name', () => {
  test.each([
    ['no JSON', 'states', /^loans is no trace in the Informal Trace Format: Unexpected/],
    ['no states', '{}', /: it has no states$/],
    ['null', 'null', /^loans is no trace/],
    ['a state that is none', '{"states":[1]}', /^loans is no trace/],
    ['a value without a kind', traceOf({ x: { '#what': 1 } }), /: #what is no kind of value$/],
    ['a number that is no integer', traceOf({ x: 1.5 }), /^loans is no trace/],
    ['null for a value', traceOf({ x: null }), /: null is no value$/],
  ])('%s', (_, text, message) => {
    expect(() => decodeItf('loans', text)).toThrow(message);
  });
});

describe('Traces are read', () => {
  const [earlier, later] = [traceOf({ x: 1 }), traceOf({ x: 2 }, { x: 3 })];

  test('from a file, and from a folder by name', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'b.itf.json'), later);
    writeFileSync(join(folder, 'a.itf.json'), earlier);
    writeFileSync(join(folder, 'c.json'), 'none');
    const names = (traces: readonly ItfTrace[]) =>
      traces.map(({ name, states }) => [name, states.length]);
    expect(names(await itfTraces(folder))).toStrictEqual([
      ['a.itf.json', 1],
      ['b.itf.json', 2],
    ]);
    expect(names(await itfTraces(join(folder, 'b.itf.json')))).toStrictEqual([['b.itf.json', 2]]);
  });

  test('never from a folder without any', async () => {
    const folder = join(temporaryFolder(), 'empty');
    mkdirSync(folder);
    await expect(itfTraces(folder)).rejects.toThrow('has no file that ends in .itf.json');
    await expect(itfTraces(join(folder, 'absent'))).rejects.toThrow('ENOENT');
  });
});

describe('The traces of any specification are programs of its aggregate', () => {
  const loans = kitFor(LOANS);
  const drew = (action: string, picks: object) => ({
    'mbt::actionTaken': action,
    'mbt::nondetPicks': Object.fromEntries(
      Object.entries(picks).map(([name, value]) => [name, { tag: 'Some', value }]),
    ),
  });
  const trace = decodeItf(
    'loans',
    traceOf(
      drew('init', {}),
      drew('reserve', { copy: { '#bigint': '0' }, reader: 'ben' }),
      drew('lend', { copy: { '#bigint': '1' }, reader: 'ann' }),
      drew('lend', { copy: { '#bigint': '0' }, reader: 'ann' }),
      drew('giveBack', { copy: { '#bigint': '1' }, reader: 'ann' }),
    ),
  );

  function programOf({ states }: ItfTrace): Program<Command> {
    const steps = states.slice(1).map(({ action, picks }): Step<Command> => {
      const reader = picks.reader as string;
      const commands: Record<string, Command> = {
        reserve: { type: 'Reserve', by: reader },
        lend: { type: 'Lend', to: reader },
        giveBack: { type: 'Return' },
      };
      return { do: 'command', on: Number(picks.copy), command: commands[action ?? ''] as Command };
    });
    return { steps };
  }

  test('which hold on a correct decider', async () => {
    const { runs, steps } = await loans.assertDecides(copy, { programs: [programOf(trace)] });
    expect({ runs, steps }).toStrictEqual({ runs: 1, steps: 4 });
  });

  test('and shrink on a faulty one', async () => {
    const careless: typeof copy = {
      ...copy,
      decide: (command, { lentTo }) => copy.decide(command, lentTo === undefined ? {} : { lentTo }),
    };
    const target = deciderTarget('careless', careless);
    const { counterexample } = await loans.check(target, { programs: [programOf(trace)] });
    expect(counterexample?.program.steps).toStrictEqual([
      { do: 'command', on: 0, command: { type: 'Reserve', by: 'ben' } },
      { do: 'command', on: 0, command: { type: 'Lend', to: 'ann' } },
    ]);
  });
});
