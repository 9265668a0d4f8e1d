import { describe, expect, it, test } from 'vitest';
import { cosignerKey } from '../../../../src/app/audit/proofs/cosignature.ts';
import { Cosigner } from '../../../../src/app/audit/witness/cosigner.ts';
import { outcomeOf } from '../../../../src/app/witnessing/outcome.ts';

const TEXT = 'log.example\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n';
const WITNESS = Cosigner.generate('witness.example/w');
const KEY = keyOf(WITNESS);

function keyOf({ verifierKey }: Cosigner) {
  const key = cosignerKey(verifierKey);
  return key.ok ? key.value : expect.fail(key.reason);
}

/** A checkpoint of 30 events, of which 20 were cosigned. */
const SUBMITTED = { text: TEXT, size: 30, oldSize: 20 };

function outcome(status: number, body = '', retryAfterMs?: number, submitted = SUBMITTED) {
  return outcomeOf({ kind: 'answered', status, body, retryAfterMs }, submitted, KEY);
}

describe('A 200 is a cosignature', () => {
  const line = WITNESS.cosign(TEXT, 1_700_000_000);

  it('if its line is valid', () => {
    expect(outcome(200, line)).toEqual({ kind: 'cosigned', line });
  });

  it('among lines by other keys, of the same name too, and by nobody', () => {
    const other = Cosigner.generate('other.example').cosign(TEXT, 1);
    const namesake = Cosigner.generate(WITNESS.name).cosign(TEXT, 1);
    expect(outcome(200, `${other}no signature\n${namesake}${line}`)).toEqual({
      kind: 'cosigned',
      line,
    });
  });

  it('the newest of several', () => {
    const newer = WITNESS.cosign(TEXT, 1_700_000_001);
    for (const body of [line + newer, newer + line]) {
      expect(outcome(200, body)).toEqual({ kind: 'cosigned', line: newer });
    }
  });

  test.each([
    ['no line', ''],
    ['a line by another key', Cosigner.generate('other.example').cosign(TEXT, 1)],
    ['a line for another checkpoint', WITNESS.cosign(TEXT.replace('log', 'lag'), 1)],
    ['a line that is cut off', line.slice(0, -20)],
    ['a line without a time', WITNESS.cosign(TEXT, 0)],
    ['a wrong line beside a valid one', `${line}${WITNESS.cosign(`${TEXT}x\n`, 1)}`],
  ])('but not with %s', (_title, body) => {
    expect(outcome(200, body)).toEqual({
      kind: 'invalid',
      reason: 'the answer has no valid cosignature by witness.example/w',
    });
  });
});

describe('A 409', () => {
  test.each([
    ['0', 0],
    ['17\n', 17],
    ['9007199254740991\n', Number.MAX_SAFE_INTEGER],
  ])('states the size that was cosigned last: %j', (body, size) => {
    expect(outcome(409, body)).toEqual({ kind: 'conflict', size });
  });

  test.each(['', '017\n', '-1\n', '17 events\n', '9999999999999999\n', '17\n\n'])(
    'is not valid with %j',
    (body) => {
      expect(outcome(409, body)).toMatchObject({ kind: 'invalid' });
    },
  );

  it('is not valid with the size from which the proof begins', () => {
    expect(outcome(409, '20\n')).toEqual({
      kind: 'invalid',
      reason: 'status 409, and it has cosigned 20 events, from which the proof begins',
    });
  });

  // Version 1.0.0 of tlog-witness has no size there.
  test.each(['30\n', 'root mismatch\n', ''])(
    'to a checkpoint of the very size that was cosigned is an alarm: %j',
    (body) => {
      const submitted = { ...SUBMITTED, oldSize: 30 };
      expect(outcome(409, body, undefined, submitted)).toEqual({
        kind: 'inconsistent',
        reason: 'status 409: it has cosigned another checkpoint of 30 events',
      });
    },
  );
});

describe('Any other answer is a failure', () => {
  test.each([
    [301, 'refused', 'status 301'],
    [400, 'refused', 'status 400'],
    [403, 'refused', 'status 403: it accepts no signature of this key for this log'],
    [404, 'refused', 'status 404: it does not know this log'],
    [408, 'unreachable', 'status 408: it has waited too long'],
    [
      422,
      'inconsistent',
      'status 422: the proof from the checkpoint that it has cosigned does not hold',
    ],
    [429, 'limited', 'status 429: too many requests'],
    [500, 'unreachable', 'status 500'],
    [503, 'unreachable', 'status 503'],
  ])('%s: %s', (status, kind, reason) => {
    expect(outcome(status, 'any body', 5_000)).toEqual({ kind, reason, retryAfterMs: 5_000 });
  });

  it('and so is none', () => {
    const reason = 'no answer in 10 s';
    expect(outcomeOf({ kind: 'unanswered', reason }, SUBMITTED, KEY)).toEqual({
      kind: 'unreachable',
      reason,
    });
  });
});
