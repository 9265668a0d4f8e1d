import { describe, expect, it } from 'vitest';
import * as published from '../../../src/app/audit/proofs/verifier.ts';
import { browserVerifierName } from '../../support/browser-verifier.ts';
import { CHROMIUM, WITHOUT_CHROMIUM } from '../../support/chromium.ts';
import { forgeries, type Verifier } from '../../support/forgeries.ts';
import { isNightly } from '../../support/nightly.ts';
import { receiptVectors } from '../../support/receipt-vectors.ts';
import { browsing } from './visit.ts';

/** Of all forgeries, one in so many is tried in the browser. */
const EVERY = isNightly ? 5 : 35;
const LEAST = isNightly ? 10_000 : 1_400;
const CALLS_AT_ONCE = 2_000;

if (CHROMIUM === undefined) console.warn(WITHOUT_CHROMIUM);

const on = browsing();

interface Call {
  readonly name: keyof Verifier;
  readonly given: readonly unknown[];
  readonly verdict: string;
}

/** Returns the calls of the verifier by which forgeries are tried. */
async function callsOfForgeries(): Promise<readonly Call[]> {
  const calls: Call[] = [];
  const functions = { ...published };
  const names = ['verifyInclusion', 'verifyConsistency', 'verifyCheckpoint', 'verifyReceipt'];
  const noting = names.map((name) => {
    const note = (...given: [string, string]) => {
      const verdict = functions[name as 'verifyReceipt'](...given);
      calls.push({ name: name as keyof Verifier, given, verdict: JSON.stringify(verdict) });
      return verdict;
    };
    return [name, note];
  });
  const verifier = { ...published, ...Object.fromEntries(noting) } as Verifier;
  let number = 0;
  for await (const { kind, accepted } of forgeries()) {
    number += 1;
    if (kind !== 'root' && number % EVERY === 0) expect(accepted(verifier)).toBe(false);
  }
  return calls;
}

describe.skipIf(CHROMIUM === undefined)('The verifier that the console loads, in Chromium', () => {
  /** Returns the verdicts on calls, as texts. */
  async function verdictsOn(calls: readonly Pick<Call, 'name' | 'given'>[]): Promise<string[]> {
    const { page } = await on.open('');
    const address = `${on.service.address}/console/assets/${browserVerifierName()}`;
    const verdicts: string[] = [];
    for (let at = 0; at < calls.length; at += CALLS_AT_ONCE) {
      const some = JSON.stringify(calls.slice(at, at + CALLS_AT_ONCE), (_, value) =>
        value?.type === 'Buffer' ? { bytes: value.data } : value,
      );
      const found: string[] = await page.evaluate(`import('${address}').then((verifier) => {
        const revive = (_, value) => (value?.bytes ? Uint8Array.from(value.bytes) : value);
        const calls = JSON.parse(${JSON.stringify(some)}, revive);
        return calls.map(({ name, given }) => JSON.stringify(verifier[name](...given)));
      })`);
      verdicts.push(...found);
    }
    return verdicts;
  }

  it('has the published verdict and record on every vector', async () => {
    const vectors = await receiptVectors();
    const calls = vectors.map(({ receipt, key }) => {
      return { name: 'verifyReceipt' as const, given: [receipt, key] };
    });
    for (const [index, verdict] of (await verdictsOn(calls)).entries()) {
      const { ok, reason, value } = JSON.parse(verdict);
      const { what, receipt, key, record } = vectors[index] as (typeof vectors)[number];
      expect(value?.record, what).toBe(record);
      const expected = published.verifyReceipt(receipt, key);
      expect({ ok, reason }, what).toEqual({
        ok: expected.ok,
        reason: expected.ok ? undefined : expected.reason,
      });
    }
  });

  it(`refuses ${LEAST} forgeries for the published reasons`, async () => {
    const calls = await callsOfForgeries();
    expect(calls.length).toBeGreaterThan(LEAST);
    const verdicts = await verdictsOn(calls);
    expect(verdicts).toStrictEqual(calls.map(({ verdict }) => verdict));
  });
});
