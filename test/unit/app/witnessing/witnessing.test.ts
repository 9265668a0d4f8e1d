import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { cosignerKey, verifyCosignature } from '../../../../src/app/audit/proofs/cosignature.ts';
import { parseWitnessPolicy } from '../../../../src/app/audit/proofs/witness-policy.ts';
import { NoteSigner } from '../../../../src/app/audit/proving/checkpoint.ts';
import { Prover } from '../../../../src/app/audit/proving/prover.ts';
import { Epochs } from '../../../../src/app/log/epochs.ts';
import type { CosignedRecord, WitnessAnswer } from '../../../../src/app/ports/witnesses.ts';
import { CosignedCheckpoints } from '../../../../src/app/witnessing/cosigned-checkpoints.ts';
import { OUTCOMES } from '../../../../src/app/witnessing/outcome.ts';
import {
  Witnessing,
  type WitnessingParts,
  type WitnessNotice,
} from '../../../../src/app/witnessing/witnessing.ts';
import { encode } from '../../../../src/infra/events/codec.ts';
import { MemoryTrail } from '../../../../src/infra/memory/trail.ts';
import { placed, recorded } from '../../../support/events.ts';
import { GivenWitness } from '../../../support/given-witness.ts';
import { fakeTimersOf } from '../../../support/own-timers.ts';

const INTERVAL_MS = 60_000;
const HOUR_MS = 3_600_000;

// The sockets of other files in the same worker have timers, too.
beforeEach(() => void fakeTimersOf('src/app/witnessing/witnessing.ts'));
afterEach(() => void vi.useRealTimers());

/** A log of so many events, whose witnesses A, B and C have addresses. */
function given(count: number, quorum = 'group two 2 A B C\nquorum two') {
  const trail = new MemoryTrail();
  const events = recorded(...Array.from({ length: 50 }, (_, n) => placed(BigInt(n + 1))));
  const append = (more: number) => {
    for (let left = more; left > 0; left -= 1) {
      trail.append(encode(events.shift() ?? expect.fail('no more events')));
    }
  };
  append(count);
  const signer = NoteSigner.generate('log.example');
  const witnesses = ['A', 'B', 'C'].map((name) => {
    return new GivenWitness(`witness.example/${name}`, () => signer.verifierKey);
  });
  const lines = witnesses.map(({ cosigner: { verifierKey } }, n) => {
    return `witness ${'ABC'[n]} ${verifierKey} https://${'abc'[n]}.example/${'/'.repeat(n)}`;
  });
  const policy = parseWitnessPolicy([...lines, quorum].join('\n'));
  return { trail, append, signer, witnesses, policy: policy.ok ? policy.value : expect.fail() };
}

type Log = ReturnType<typeof given>;
/** Answers that stand in for those of a witness; a promise delays the witness's own. */
type Answers = Record<string, WitnessAnswer | Promise<void> | undefined>;

/** A run of the service, with a clock that stands still between its steps. */
function run(
  { trail, signer, witnesses, policy }: Log,
  given: { record?: CosignedRecord | undefined; parts?: Partial<WitnessingParts> } = {},
) {
  const cosigned = new CosignedCheckpoints(policy);
  const prover = new Prover(trail, signer, new Epochs(''), cosigned);
  const clock = { ms: 0 };
  const answers: Answers = {};
  const asked: string[] = [];
  const notices: WitnessNotice[] = [];
  const failures: Error[] = [];
  const saved: CosignedRecord[] = [];
  const witnessing = new Witnessing({
    witnesses: policy.witnesses.map(({ name, key, url = '' }) => ({ name, key, url })),
    cosigned,
    prover,
    ask: async (url, body) => {
      asked.push(url);
      const at = 'abc'.indexOf(new URL(url).hostname.charAt(0));
      const name = 'ABC'[at] ?? '';
      const given = answers[name];
      if (given instanceof Promise) await given;
      else if (given !== undefined) return given;
      const answer = witnesses[at]?.answer(body) ?? expect.fail();
      return { kind: 'answered', retryAfterMs: undefined, ...answer };
    },
    records: { load: () => given.record, save: (record) => void saved.push(record) },
    intervalMs: INTERVAL_MS,
    noticed: (notice) => void notices.push(notice),
    failed: (error) => void failures.push(error),
    elapsed: () => clock.ms,
    ...given.parts,
  });
  const pass = async (ms: number) => {
    clock.ms += ms;
    await vi.advanceTimersByTimeAsync(ms);
    await witnessing.settled();
  };
  const begin = async () => {
    witnessing.begin();
    await witnessing.settled();
  };
  return { witnessing, cosigned, prover, answers, asked, notices, failures, saved, pass, begin };
}

const refusal = (status: number, retryAfterMs?: number): WitnessAnswer => {
  return { kind: 'answered', status, body: '', retryAfterMs };
};

/** The names of the witnesses of a policy that have cosigned a note. */
function cosignersOf({ policy }: Log, note = ''): string {
  const names = policy.witnesses.map(({ name, key }) => {
    const verdict = verifyCosignature(note, key);
    return verdict.ok && verdict.value !== undefined ? name : '';
  });
  return names.join('');
}

describe('The newest checkpoint of a log', () => {
  it('is submitted to every witness at once', async () => {
    const log = given(7);
    const { begin, asked, cosigned, prover } = run(log);
    await begin();
    expect(asked).toEqual([
      'https://a.example/add-checkpoint',
      'https://b.example/add-checkpoint',
      'https://c.example/add-checkpoint',
    ]);
    expect(cosigned.newest?.size).toBe(7);
    expect(cosignersOf(log, cosigned.newest?.note)).toBe('ABC');
    expect(cosigned.newest?.note).toMatch((await prover.checkpoint()).note);
    expect(prover.witnessed(7)).toBe(cosigned.newest);
  });

  it('is submitted when the log has grown, with a proof, once in an interval at most', async () => {
    const log = given(7);
    const { begin, pass, cosigned, asked } = run(log);
    await begin();
    await pass(INTERVAL_MS);
    expect(asked).toHaveLength(3);
    log.append(4);
    await pass(INTERVAL_MS - 1);
    expect(asked).toHaveLength(3);
    await pass(1);
    expect(cosigned.newest?.size).toBe(11);
    for (const { asked, size } of log.witnesses) {
      expect(asked).toEqual([
        { oldSize: 0, status: 200 },
        { oldSize: 7, status: 200 },
      ]);
      expect(size).toBe(11);
    }
  });

  it('of an empty log is not submitted', async () => {
    const { begin, asked, witnessing, cosigned } = run(given(0));
    await begin();
    expect(asked).toEqual([]);
    expect(cosigned.isComplete).toBe(false);
    expect(witnessing.statuses[0]).toMatchObject({ size: 0, lagEvents: 0, lagMs: 0 });
  });

  it('has a quorum without a witness that does not answer, which gets it later', async () => {
    const log = given(7);
    const { begin, pass, answers, cosigned, asked } = run(log);
    answers.B = { kind: 'unanswered', reason: 'connect ECONNREFUSED' };
    await begin();
    expect(cosignersOf(log, cosigned.newest?.note)).toBe('AC');
    delete answers.B;
    await pass(INTERVAL_MS);
    expect(asked).toHaveLength(3);
    await pass(INTERVAL_MS);
    expect(asked).toHaveLength(4);
    expect(cosignersOf(log, cosigned.newest?.note)).toBe('ABC');
  });

  it('replaces the one before only with a quorum', async () => {
    const log = given(7);
    const { begin, pass, answers, cosigned, prover } = run(log);
    await begin();
    log.append(1);
    answers.A = refusal(500);
    answers.C = refusal(500);
    await pass(INTERVAL_MS);
    expect(log.witnesses[1]?.size).toBe(8);
    expect(cosigned.newest?.size).toBe(7);
    expect(() => prover.witnessed(8)).toThrow('no checkpoint that covers position 8');
    delete answers.A;
    await pass(2 * INTERVAL_MS);
    expect(cosigned.newest?.size).toBe(8);
  });

  it('is the newest one at once, if no witness is needed', async () => {
    const log = given(7, 'quorum none');
    const { begin, answers, cosigned } = run(log);
    answers.A = refusal(500);
    answers.B = refusal(500);
    answers.C = refusal(500);
    await begin();
    expect(cosigned.newest?.size).toBe(7);
    expect(cosignersOf(log, cosigned.newest?.note)).toBe('');
  });
});

describe('A slow witness', () => {
  it('does not delay a quorum of others, nor their next checkpoint', async () => {
    const log = given(7);
    const { witnessing, answers, cosigned, asked } = run(log);
    const late = Promise.withResolvers<void>();
    answers.A = late.promise;
    witnessing.begin();
    await vi.waitFor(() => expect(cosigned.newest?.size).toBe(7));
    log.append(2);
    await vi.advanceTimersByTimeAsync(INTERVAL_MS);
    expect(cosigned.newest?.size).toBe(9);
    expect(asked.filter((url) => url.includes('a.example'))).toHaveLength(1);
    // Its answer is for a checkpoint that has been replaced.
    late.resolve();
    await witnessing.settled();
    expect(cosignersOf(log, cosigned.newest?.note)).toBe('BC');
    expect(witnessing.statuses[0]).toMatchObject({ size: 7, lagEvents: 2, outcome: 'cosigned' });
  });

  it('is waited for if the quorum needs it', async () => {
    const log = given(7, 'group all all A B C\nquorum all');
    const { witnessing, answers, cosigned, asked } = run(log);
    const late = Promise.withResolvers<void>();
    answers.A = late.promise;
    witnessing.begin();
    await vi.waitFor(() => expect(asked).toHaveLength(3));
    log.append(2);
    await vi.advanceTimersByTimeAsync(INTERVAL_MS);
    expect(asked).toHaveLength(3);
    late.resolve();
    await witnessing.settled();
    expect(cosigned.newest?.size).toBe(7);
    expect(cosignersOf(log, cosigned.newest?.note)).toBe('ABC');
  });
});

describe('The size that a witness has seen', () => {
  it('is what it states, where another instance or a lost record has left it at another', async () => {
    const log = given(7);
    const first = run(log);
    await first.begin();
    log.append(3);
    const { begin, witnessing, saved } = run(log);
    await begin();
    expect(log.witnesses[0]?.asked.slice(1)).toEqual([
      { oldSize: 0, status: 409 },
      { oldSize: 7, status: 200 },
    ]);
    expect(witnessing.statuses[0]).toMatchObject({ size: 10, outcome: 'cosigned' });
    expect(Object.values(saved.at(-1)?.sizes ?? {})).toEqual([10, 10, 10]);
  });

  it('is the same as that of the log after another instance has submitted it', async () => {
    const log = given(7);
    await run(log).begin();
    const { begin, cosigned } = run(log);
    await begin();
    expect(log.witnesses[2]?.asked.slice(1)).toEqual([
      { oldSize: 0, status: 409 },
      { oldSize: 7, status: 200 },
    ]);
    expect(cosignersOf(log, cosigned.newest?.note)).toBe('ABC');
  });

  it('may be beyond the submitted checkpoint, by an instance that is faster', async () => {
    const log = given(7);
    const { begin, pass, answers, witnessing, notices, cosigned } = run(log);
    const late = Promise.withResolvers<void>();
    answers.A = late.promise;
    const begun = begin();
    await vi.waitFor(() => expect(log.witnesses[1]?.size).toBe(7));
    log.append(2);
    await run(log).begin();
    late.resolve();
    await begun;
    expect(witnessing.statuses[0]).toMatchObject({ size: 9, lagEvents: 0, outcome: 'conflict' });
    expect(notices.map(({ level }) => level)).toEqual(['info', 'info']);
    // No failure: the next checkpoint is submitted without a wait.
    await pass(INTERVAL_MS);
    expect(log.witnesses[0]?.asked.at(-1)).toEqual({ oldSize: 9, status: 200 });
    expect(cosignersOf(log, cosigned.newest?.note)).toBe('ABC');
  });

  it('beyond the log is an alarm, also where it was recorded', async () => {
    const log = given(9);
    const before = run(log);
    await before.begin();
    const shorter = { ...given(7), witnesses: log.witnesses, policy: log.policy };
    const cut = { ...shorter, signer: log.signer };
    for (const record of [undefined, before.saved.at(-1)]) {
      const { witnessing, begin, notices } = run(cut, { record });
      await witnessing.restore();
      await begin();
      expect(log.witnesses[0]?.asked.at(-1)).toEqual({ oldSize: 0, status: 409 });
      expect(notices[0]).toEqual({
        level: 'error',
        message: 'a witness has seen another history of the log',
        about: {
          witness: 'A',
          url: 'https://a.example/',
          reason:
            'it has cosigned 9 events, and the log has 7: events are lost, or another log signs with this key',
        },
      });
    }
  });
});

describe('A witness that answers every submission with 409', () => {
  /** Runs for 40 intervals, in each of which the log grows by one event. */
  async function run40(sizeAt: (head: number, request: number) => number) {
    const log = given(7);
    let requests = 0;
    const { begin, pass, notices, witnessing, prover } = run(log, {
      parts: {
        ask: async (url, body) => {
          if (!url.startsWith('https://a.')) return refusal(404);
          requests += 1;
          const head = Number(/\n\n.*\n(\d+)\n/.exec(body)?.[1]);
          const size = sizeAt(head, requests);
          return { kind: 'answered', status: 409, body: `${size}\n`, retryAfterMs: undefined };
        },
      },
    });
    await begin();
    for (let minute = 0; minute < 40; minute += 1) {
      log.append(1);
      await pass(INTERVAL_MS);
    }
    expect((await prover.checkpoint()).size).toBe(47);
    const [first] = notices.filter(({ about }) => 'witness' in about && about.witness === 'A');
    return { notice: first, status: witnessing.statuses[0], requests };
  }

  it.each([
    ['none', () => 0, 'invalid'],
    ['an earlier size', () => 3, 'invalid'],
    ['the size of the checkpoint', (head: number) => head, 'inconsistent'],
    ['a smaller size each time', (head: number, n: number) => head - 2 + (n % 2), 'invalid'],
  ] as const)('and %s is reported, left alone, and behind', async (_, sizeAt, outcome) => {
    const { notice, status, requests } = await run40(sizeAt);
    expect(notice).toMatchObject({ level: 'error', about: { url: 'https://a.example/' } });
    expect(status).toMatchObject({ outcome, size: 0, lagEvents: 47, lagMs: 40 * INTERVAL_MS });
    expect(status?.counts).toMatchObject({ conflict: 0, [outcome]: 5 });
    expect(requests).toBeLessThanOrEqual(10);
  });
});

describe('After a failure', () => {
  it('a witness is left alone, twice as long after each, for an hour at most', async () => {
    const log = given(7);
    const { begin, pass, answers, asked } = run(log);
    answers.A = refusal(404);
    await begin();
    const times: number[] = [];
    for (let minute = 1; minute <= 300; minute += 1) {
      const before = asked.length;
      await pass(INTERVAL_MS);
      if (asked.length > before) times.push(minute);
    }
    expect(times).toEqual([2, 6, 14, 30, 62, 122, 182, 242]);
  });

  it.each([
    [15 * INTERVAL_MS, 15],
    [INTERVAL_MS, 2],
    [100 * 24 * HOUR_MS, 24 * 60],
  ])('a wait that a witness sets is kept, for a day at most: %s ms', async (waitMs, minutes) => {
    const log = given(7);
    const { begin, pass, answers, asked } = run(log);
    answers.A = refusal(429, waitMs);
    await begin();
    await pass((minutes - 1) * INTERVAL_MS);
    expect(asked).toHaveLength(3);
    await pass(INTERVAL_MS);
    expect(asked).toHaveLength(4);
  });

  it('a notice is given when the outcome changes, and never of a conflict', async () => {
    const log = given(7);
    const { begin, pass, answers, notices, witnessing } = run(log);
    await begin();
    notices.length = 0;
    log.append(1);
    answers.A = { kind: 'unanswered', reason: 'connect ECONNREFUSED' };
    await pass(INTERVAL_MS);
    await pass(2 * INTERVAL_MS);
    answers.A = refusal(422);
    await pass(4 * INTERVAL_MS);
    answers.A = { kind: 'answered', status: 200, body: 'lies', retryAfterMs: undefined };
    await pass(8 * INTERVAL_MS);
    delete answers.A;
    await pass(16 * INTERVAL_MS);
    const about = { witness: 'A', url: 'https://a.example/' };
    expect(notices.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      'warn: a witness does not answer',
      'error: a witness has seen another history of the log',
      'error: the answer of a witness is not valid',
      'info: a witness cosigns',
    ]);
    expect(notices[0]?.about).toEqual({ ...about, reason: 'connect ECONNREFUSED' });
    const { counts, outcome } = witnessing.statuses[0] ?? expect.fail();
    expect(outcome).toBe('cosigned');
    expect(counts).toEqual({
      cosigned: 2,
      conflict: 0,
      unreachable: 2,
      limited: 0,
      refused: 0,
      inconsistent: 1,
      invalid: 1,
    });
    expect(Object.keys(counts)).toEqual(OUTCOMES);
  });

  it('the lag of a witness grows, and ends with its next cosignature', async () => {
    const log = given(7);
    const { begin, pass, answers, witnessing } = run(log);
    await begin();
    expect(witnessing.statuses[0]).toMatchObject({ name: 'A', size: 7, lagEvents: 0, lagMs: 0 });
    log.append(3);
    answers.A = refusal(500);
    await pass(INTERVAL_MS);
    log.append(2);
    await pass(INTERVAL_MS);
    const lag = { size: 7, lagEvents: 5, lagMs: INTERVAL_MS, outcome: 'unreachable' };
    expect(witnessing.statuses[0]).toMatchObject(lag);
    expect(witnessing.statuses[1]).toMatchObject({ size: 12, lagEvents: 0, lagMs: 0 });
    delete answers.A;
    await pass(INTERVAL_MS);
    expect(witnessing.statuses[0]).toMatchObject({ size: 12, lagEvents: 0, lagMs: 0 });
  });
});

describe('A restart', () => {
  it('continues with the sizes and the checkpoint of the record, and asks nobody again', async () => {
    const log = given(7);
    const before = run(log);
    await before.begin();
    await before.witnessing.close();
    const record = before.saved.at(-1) ?? expect.fail();
    expect(record.origin).toBe('log.example');
    const { witnessing, begin, pass, cosigned, asked } = run(log, { record });
    await witnessing.restore();
    expect(cosigned.newest?.note).toBe(before.cosigned.newest?.note);
    await begin();
    expect(asked).toEqual([]);
    log.append(1);
    await pass(INTERVAL_MS);
    expect(log.witnesses[0]?.asked.at(-1)).toEqual({ oldSize: 7, status: 200 });
  });

  it('continues with a log that has grown meanwhile', async () => {
    const log = given(7);
    const before = run(log);
    await before.begin();
    log.append(5);
    const { witnessing, cosigned } = run(log, { record: before.saved.at(-1) });
    await witnessing.restore();
    expect(cosigned.newest?.note).toBe(before.cosigned.newest?.note);
  });

  it('drops a record of another name, and begins anew', async () => {
    const log = given(7);
    const before = run(log);
    await before.begin();
    const record = { ...(before.saved.at(-1) ?? expect.fail()), origin: 'log.example+1.00' };
    const { witnessing, cosigned, begin } = run(log, { record });
    await witnessing.restore();
    expect(cosigned.newest).toBeUndefined();
    expect(witnessing.statuses[0]).toMatchObject({ size: 0 });
    await begin();
    expect(cosigned.newest?.size).toBe(7);
  });

  it('drops a checkpoint by another key, of another log, beyond the log, or without a quorum', async () => {
    const log = given(7);
    const before = run(log);
    await before.begin();
    const record = before.saved.at(-1) ?? expect.fail();
    const [checkpoint = '', lines = ''] = record.checkpoint?.split(/(?<=log\.example .*\n)/) ?? [];
    const other = given(7);
    const longer = given(9);
    const noteOf = async ({ trail }: Log, signer = log.signer) =>
      (await new Prover(trail, signer).checkpoint()).note;
    const elsewhere = new MemoryTrail();
    for (const event of recorded(placed(77n), placed(78n))) elsewhere.append(encode(event));
    for (const dropped of [
      undefined,
      'no note',
      (await noteOf(other, NoteSigner.generate('log.example'))) + lines,
      (await noteOf(longer)) + lines,
      (await new Prover(elsewhere, log.signer).checkpoint()).note + lines,
      checkpoint,
      checkpoint + (lines.split('\n')[0] ?? ''),
    ]) {
      const { witnessing, cosigned, failures } = run(log, {
        record: { ...record, checkpoint: dropped },
      });
      await witnessing.restore();
      expect(cosigned.newest).toBeUndefined();
      expect(witnessing.statuses[0]).toMatchObject({ size: 7 });
      expect(failures).toEqual([]);
    }
  });

  it('drops cosignatures by keys that are no longer in the policy', async () => {
    const log = given(7);
    const before = run(log);
    await before.begin();
    const { witnesses } = given(0);
    const renewed = witnesses[0]?.cosigner.verifierKey ?? '';
    const key = cosignerKey(renewed);
    const [, ...others] = log.policy.witnesses;
    const [a] = log.policy.witnesses;
    const changed = { ...(a ?? expect.fail()), key: key.ok ? key.value : expect.fail() };
    const policy = { ...log.policy, witnesses: [changed, ...others] };
    const { witnessing, cosigned } = run({ ...log, policy }, { record: before.saved.at(-1) });
    await witnessing.restore();
    expect(cosignersOf(log, cosigned.newest?.note)).toBe('BC');
    expect(witnessing.statuses.map(({ size }) => size)).toEqual([0, 7, 7]);
  });

  it('is possible where nothing can be read or recorded', async () => {
    const log = given(7);
    const full = () => {
      throw new Error('ENOSPC');
    };
    const { witnessing, begin, pass, notices, failures, cosigned } = run(log, {
      parts: { records: { load: full, save: full } },
    });
    await witnessing.restore();
    expect(failures.map(({ message }) => message)).toEqual(['ENOSPC']);
    await begin();
    log.append(1);
    await pass(INTERVAL_MS);
    expect(cosigned.newest?.size).toBe(8);
    const unsaved = notices.filter(({ level }) => level === 'warn');
    expect(unsaved).toEqual([
      {
        level: 'warn',
        message: 'the cosignatures are not recorded: a restart asks for them again',
        about: { reason: 'ENOSPC' },
      },
    ]);
  });
});

describe('The service', () => {
  it('continues when its log cannot be read for a while', async () => {
    const log = given(7);
    const { begin, pass, failures, cosigned } = run(log);
    const away = vi.spyOn(log.trail, 'treeHead').mockRejectedValue(new Error('away'));
    await begin();
    expect(failures.map(({ message }) => message)).toEqual(['away']);
    away.mockRestore();
    await pass(INTERVAL_MS);
    expect(cosigned.newest?.size).toBe(7);
  });

  it('continues when a proof cannot be made', async () => {
    const log = given(7);
    const { begin, pass, failures, witnessing, cosigned, prover } = run(log);
    await begin();
    log.append(1);
    const damaged = vi.spyOn(prover, 'consistency').mockRejectedValue(new Error('damaged'));
    await pass(INTERVAL_MS);
    damaged.mockRestore();
    expect(failures).toHaveLength(3);
    expect(witnessing.statuses[0]).toMatchObject({ size: 7, outcome: 'cosigned' });
    await pass(INTERVAL_MS);
    expect(cosigned.newest?.size).toBe(8);
  });

  it('stops without an answer that is outstanding, and notes none', async () => {
    const log = given(7);
    const stops: AbortSignal[] = [];
    const ask: WitnessingParts['ask'] = (_url, _body, stop) => {
      stops.push(stop);
      const ended = Promise.withResolvers<WitnessAnswer>();
      stop.addEventListener('abort', () =>
        ended.resolve({ kind: 'unanswered', reason: 'aborted' }),
      );
      return ended.promise;
    };
    const { witnessing, notices, pass } = run(log, { parts: { ask } });
    witnessing.begin();
    await vi.waitFor(() => expect(stops).toHaveLength(3));
    await witnessing.close();
    expect(notices).toEqual([]);
    expect(witnessing.statuses[0]).toMatchObject({ outcome: undefined });
    await pass(10 * INTERVAL_MS);
    expect(stops).toHaveLength(3);
  });

  it('stops while it reads the log', async () => {
    const log = given(7);
    const { witnessing, asked, pass } = run(log);
    witnessing.begin();
    await witnessing.close();
    await pass(10 * INTERVAL_MS);
    expect(asked).toEqual([]);
  });
});
