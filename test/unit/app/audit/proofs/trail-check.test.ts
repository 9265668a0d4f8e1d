import { describe, expect, it } from 'vitest';
import {
  type ExpectedHead,
  headUnder,
  plainTree,
  TrailCheck,
} from '../../../../../src/app/audit/proofs/trail-check.ts';
import { RecordTree } from '../../../../../src/app/audit/proofs/verifier.ts';
import { recordOf } from '../../../../../src/app/log/recorded-event.ts';
import { decodeStrictly, encode } from '../../../../../src/infra/events/codec.ts';
import { placed, recorded } from '../../../../support/events.ts';

const EVENTS = recorded(...[1n, 2n, 3n, 4n].map((id) => placed(id))).map(encode);

const tree = new RecordTree();
/** The log at each size, from 0 on. */
const HEADS = [
  tree.head(),
  ...EVENTS.map((event) => {
    tree.add(recordOf(event));
    return tree.head();
  }),
];

const right = (size: number): ExpectedHead => ({
  name: `note-${size}`,
  size,
  root: HEADS[size]?.root,
});
const wrong = (size: number): ExpectedHead => ({ ...right(size), root: Buffer.alloc(32) });

function checked(...heads: readonly ExpectedHead[]): TrailCheck {
  const check = new TrailCheck(decodeStrictly, plainTree(), heads);
  for (const event of EVENTS) expect(check.add(event)).toBe(true);
  check.end();
  return check;
}

describe('Accounts of a log', () => {
  it('are true at every size, also where they tell no root', () => {
    const silent = { name: 'an old note', size: 3, root: undefined };
    const check = checked(...[0, 1, 2, 3, 4].map(right), right(2), silent);
    expect([check.size, check.findings()]).toEqual([4, []]);
  });

  it('show where the log was changed: between two sizes', () => {
    expect(checked(right(1), wrong(3)).findings()).toEqual([
      { from: 2, to: 3, problem: 'note-3 has another root for these 3 events' },
    ]);
    expect(checked(wrong(3)).findings()).toMatchObject([{ from: 1, to: 3 }]);
    expect(checked(wrong(0)).findings()).toMatchObject([{ from: 1, to: 0 }]);
  });

  it('report only the first difference exactly', () => {
    expect(checked(wrong(4), right(3), wrong(2), right(1)).findings()).toMatchObject([
      { from: 2, to: 2 },
    ]);
  });

  it('differ where the root has further bytes', () => {
    const longer = { ...right(2), root: Buffer.from([...(right(2).root ?? []), 0]) };
    expect(checked(longer).findings()).toMatchObject([{ to: 2 }]);
  });

  it('are still compared behind one that the log has lost by a cut', () => {
    const cut = { from: 2, problem: 'it was cut at position 1' };
    expect(checked({ ...wrong(2), cut }, wrong(4)).findings()).toEqual([
      { ...cut, to: 2 },
      { from: 3, to: 4, problem: 'note-4 has another root for these 4 events' },
    ]);
    expect(
      checked({ ...wrong(2), cut }, { ...wrong(2), name: 'other' }, wrong(4)).findings(),
    ).toEqual([
      { ...cut, to: 2 },
      { from: 1, to: 2, problem: 'other has another root for these 2 events' },
    ]);
  });

  it('are required of a log by checkpoints, which may be of another epoch', () => {
    const [size, root] = [2, Buffer.alloc(32, 1)];
    const later = { origin: 'log+1.ab', epoch: '1.ab', size, root };
    expect(headUnder('log+1.ab', 'note', later)).toStrictEqual({ name: 'note', size, root });
    expect(headUnder('log', 'note', later)).toStrictEqual({
      name: 'note',
      size,
      root,
      cut: {
        from: 1,
        problem:
          'note is of epoch 1.ab, and this log is log: it was cut in between, and lacks what the checkpoint ' +
          'has. Compare the checkpoint with one of today, with the statements of the breaks',
      },
    });
  });

  it('are required by those of another log as well, which may have the same events', () => {
    const root = HEADS[2]?.root ?? expect.fail();
    const theirs = { origin: 'theirs', epoch: '0', size: 2, root };
    expect(checked(headUnder('log', 'note', theirs)).findings()).toEqual([]);
    const problemOf = (size: number, origin = 'log') => {
      const head = headUnder(origin, 'note', { ...theirs, size, root: Buffer.alloc(32) });
      return checked(head).findings();
    };
    const problem = 'note is of another log, theirs, and this log, log, lacks what it has';
    expect(problemOf(2)).toEqual([{ from: 1, to: 2, problem }]);
    expect(problemOf(9)).toEqual([{ from: 1, to: 9, problem }]);
    expect(problemOf(2, 'log+1.ab')).toMatchObject([
      { problem: expect.stringContaining('theirs, and this log, log+1.ab, lacks') },
    ]);
    expect(problemOf(2, 'theirs+1.ab')).toMatchObject([
      { problem: expect.stringContaining('it was cut in between') },
    ]);
  });

  it('are reported with the break if the log was cut before them', () => {
    const cut = { from: 3, problem: 'it was cut at position 2' };
    const lost = { name: 'note-6', size: 6, root: Buffer.alloc(32), cut };
    expect(checked(right(4), lost).findings()).toEqual([{ ...cut, to: 6 }]);
  });

  it('may contradict each other', () => {
    expect(checked({ ...wrong(2), name: 'theirs' }, right(2), wrong(2)).findings()).toMatchObject([
      { problem: 'theirs has another root for these 2 events' },
      { problem: 'note-2 has another root for these 2 events' },
    ]);
  });

  it('may be of more events than there are', () => {
    expect(checked(right(4), wrong(9), wrong(6)).findings()).toEqual([
      { from: 5, to: 6, problem: 'the log ends at position 4, and note-6 is of 6 events' },
      { from: 5, to: 9, problem: 'the log ends at position 4, and note-9 is of 9 events' },
    ]);
  });
});

it('An event that breaks a rule ends the check, and what tells most exactly comes first', () => {
  const check = new TrailCheck(decodeStrictly, plainTree(), [wrong(2)]);
  const [one, two, , four] = EVENTS;
  for (const event of [one, two]) expect(check.add(event ?? expect.fail())).toBe(true);
  expect(check.add(four ?? expect.fail())).toBe(false);
  expect(check.size).toBe(2);
  expect(check.findings()).toEqual([
    { from: 1, to: 2, problem: 'note-2 has another root for these 2 events' },
    { from: 3, problem: 'it is missing' },
  ]);
  expect(check.fail('it is torn')).toBe(false);
  expect(check.findings()).toContainEqual({ from: 3, problem: 'it is torn' });
});

it('What is of no event in particular comes last', () => {
  const odd = plainTree();
  odd.findings = () => [{ problem: 'the tree is odd' }];
  odd.end = () => [{ from: 1, to: 2, problem: 'a node is odd' }];
  const check = new TrailCheck(decodeStrictly, odd, [right(3)]);
  check.end();
  expect(check.findings()).toEqual([
    { from: 1, to: 2, problem: 'a node is odd' },
    { from: 1, to: 3, problem: 'the log ends at position 0, and note-3 is of 3 events' },
    { problem: 'the tree is odd' },
  ]);
});
