import { describe, expect, test } from 'vitest';
import { tableOf } from '../../docs/markdown.ts';
import { several } from '../../kit/conformance/trial.ts';
import { isNightly, partByDay } from '../../support/nightly.ts';
import { conform } from './conform.ts';
import { CONTRACT_FAULTS } from './contract-faults.ts';
import { DEVIATIONS, type Deviation } from './deviations.ts';
import type { Fault } from './faulty.ts';
import { IDS } from './ids.ts';
import { KEYS } from './keys.ts';
import { PROMISES } from './promises.ts';
import { AT_ONCE, firstFailure, HEAD, PAGE, PAUSE_SECONDS, PROMISE_HEAD } from './table.ts';

/** Of the servers that take long to find out, `npm test` runs one of so many; of the others, and of promises. */
const LONG_SHARE = 52;
const SHORT_SHARE = 9;
const PROMISE_SHARE = 40;
const DEVIATION_SHARE = 24;
const RUNS_OF_A_DEVIATION = isNightly ? 15 : 5;

const isFoundAtOnce = (fault: Fault) => KEYS.includes(fault) || IDS.includes(fault);
const isLong = (fault: Fault) => !isFoundAtOnce(fault);

const rows = tableOf(PAGE, HEAD);
const promiseRows = tableOf(PAGE, PROMISE_HEAD);
const seed = 1 + (Number(process.env.SEED) || 0);

describe('conformance', () => {
  test('finds out every server that breaks the contract, by a check that its page names unless it shows by chance', async () => {
    const faults = [
      ...partByDay(CONTRACT_FAULTS.filter(isFoundAtOnce), SHORT_SHARE),
      ...partByDay(CONTRACT_FAULTS.filter(isLong), LONG_SHARE),
    ];
    const missed: string[] = [];
    await several(faults.length, AT_ONCE, async (index) => {
      const fault = faults[index] as Fault;
      const named = rows.find(([name]) => name === fault.name)?.[1]?.split('; ') ?? [];
      // By turns, because the model differs; every night by both.
      for (const contractOnly of isNightly ? [false, true] : [index % 2 === 0]) {
        const failure = await firstFailure(fault, seed, contractOnly);
        const isFound = failure !== undefined;
        if (!isFound || !(fault.comesByChance || named.includes(failure))) {
          missed.push(`${fault.name}, contractOnly: ${contractOnly}: ${failure}`);
        }
      }
    });
    expect(missed).toEqual([]);
  });

  test('finds out every server that breaks a promise, and leaves that to it with --contract-only', async () => {
    const wrong: string[] = [];
    const faults = partByDay(PROMISES, PROMISE_SHARE);
    await several(faults.length, AT_ONCE, async (index) => {
      const fault = faults[index] as Fault;
      const found = await firstFailure(fault, seed, false);
      if (found === undefined) wrong.push(fault.name);
      const named = promiseRows.find(([name]) => name === fault.name)?.[1]?.split('; ') ?? [];
      if (!(fault.comesByChance || named.includes(found ?? ''))) {
        wrong.push(`${fault.name} is found by ${found}`);
      }
      if (!isNightly) return;
      const failure = await firstFailure(fault, seed, true);
      if (failure !== undefined) wrong.push(`${fault.name}: ${failure}`);
    });
    expect(wrong).toEqual([]);
  });

  test('raises no alarm for a server that differs as the contract allows', async () => {
    const wrong: string[] = [];
    const deviations = partByDay(DEVIATIONS, DEVIATION_SHARE);
    await several(deviations.length, AT_ONCE, async (index) => {
      const deviation = deviations[index] as Deviation;
      const breaksPromise = deviation.breaksPromise ?? false;
      const pause = isNightly ? PAUSE_SECONDS : 0;
      for (const contractOnly of isNightly && !breaksPromise ? [true, false] : [breaksPromise]) {
        const { checks } = await conform(deviation, {
          seed,
          contractOnly,
          orders: 0,
          runs: RUNS_OF_A_DEVIATION,
          pause,
        });
        for (const { name, result, reason } of checks) {
          if (result === 'failed') wrong.push(`${deviation.name}: ${name}: ${reason}`);
        }
      }
    });
    expect(wrong).toEqual([]);
  });

  test('the table has a row for every fault, which every seed finds out', () => {
    expect(rows.map(([name]) => name)).toEqual(CONTRACT_FAULTS.map(({ name }) => name));
    const survivors = rows.filter(([, , seeds = '']) => !/^(\d+) of \1$/.test(seeds));
    expect(survivors).toEqual([]);
    expect(rows.filter(([, , seeds]) => seeds === '0 of 0')).toEqual([]);
  });

  test('the table of promises has a row for every fault, which every seed finds out', () => {
    expect(promiseRows.map(([name]) => name)).toEqual(PROMISES.map(({ name }) => name));
    const survivors = promiseRows.filter(([, , seeds = '']) => !/^([1-9]\d*) of \1$/.test(seeds));
    expect(survivors).toEqual([]);
  });
});
