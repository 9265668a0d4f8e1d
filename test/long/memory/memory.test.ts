import { afterAll, describe, expect, test } from 'vitest';
import { cleanUp } from '../../bench/processes.ts';
import { changedProduct } from '../../bench/servers.ts';
import { type Groups, type Load, memoryGroups, runWithin } from './memory.ts';

afterAll(cleanUp);

const groups = memoryGroups() as Groups;
const noGroups = groups === undefined;
const BRIEF: Load = { orders: 5_000, limitMb: 350 };

describe.skipIf(noGroups)('In a control group that bounds the memory', () => {
  test('every operation is served', async () => {
    const outcome = await runWithin(groups, BRIEF);
    expect(outcome.broken, JSON.stringify(outcome)).toStrictEqual([]);
    expect(outcome.refused).toBeUndefined();
    expect(outcome.answers).toBeGreaterThan(30);
    expect(outcome.peakMb).toBeGreaterThan(50);
  });

  test('a start with too little is refused in a sentence', async () => {
    const { refused, broken } = await runWithin(groups, { ...BRIEF, limitMb: 150 });
    expect(broken).toStrictEqual([]);
    expect(refused).toMatch(/^needs at least \d+ MB of memory, and this process may use 158 MB: /);
  });

  test('it is noticed: a service that leaks memory', async () => {
    const leak = 'export async function sendNegotiated(req, res, body) {';
    const root = changedProduct([
      'http/answers/negotiation.js',
      leak,
      `const leaked = [];\n${leak}\n  leaked.push(Buffer.alloc(100_000_000, 1));`,
    ]);
    const { broken } = await runWithin(groups, { ...BRIEF, root });
    expect(broken).toContainEqual(expect.stringMatching(/^it ended: /));
  });
});
