import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  hasQuorum,
  parseWitnessPolicy,
  requireQuorum,
  verifyWitnesses,
  type WitnessPolicy,
} from '../../../../../src/app/audit/proofs/witness-policy.ts';
import { NoteSigner } from '../../../../../src/app/audit/proving/checkpoint.ts';
import { Cosigner } from '../../../../../src/app/audit/witness/cosigner.ts';

const LOG = new NoteSigner('example.com/log', Buffer.alloc(32, 1)).verifierKey;
const KEYS = Array.from(
  { length: 6 },
  (_, index) => new Cosigner(`w${index}.example`, Buffer.alloc(32, index + 1)).verifierKey,
);
const [X1 = '', X2 = '', X3 = '', Y1 = ''] = KEYS;

/** Returns a public key of `w.example` with the id 12d12c91, which both of these have. */
const alike = (key: 98_209 | 117_355) => {
  const bytes = Buffer.alloc(33);
  bytes.writeUInt8(4);
  bytes.writeUInt32BE(key, 29);
  return `w.example+12d12c91+${bytes.toString('base64')}`;
};
const ALIKE = `witness A ${alike(98_209)}\n\nwitness B ${alike(117_355)}\nquorum none`;

/** The example of the specification, with one witness less in each group of witnesses. */
const POLICY = `log ${LOG} https://example.com/tlog

# Operated by one organization.
witness X1 ${X2} https://x1.example/witness
 witness X2\t${X3}
witness X3 ${Y1}
group X-witnesses 2 X1 X2 X3

witness Y1 ${KEYS[4]}
witness Y2 ${KEYS[5]}
group Y-witnesses any Y1 Y2

group X-and-Y all X-witnesses Y-witnesses
quorum X-and-Y
`;

function parsed(text: string): WitnessPolicy {
  const policy = parseWitnessPolicy(text);
  if (!policy.ok) throw new Error(policy.reason);
  return policy.value;
}

describe('a policy of witnesses', () => {
  it('has logs, witnesses, groups and a quorum', () => {
    const { logs, witnesses, groups, quorum } = parsed(POLICY);
    expect(logs).toEqual([{ vkey: LOG, url: 'https://example.com/tlog' }]);
    expect(witnesses.map(({ name, key, url }) => [name, key.vkey, url])).toEqual([
      ['X1', X2, 'https://x1.example/witness'],
      ['X2', X3, undefined],
      ['X3', Y1, undefined],
      ['Y1', KEYS[4], undefined],
      ['Y2', KEYS[5], undefined],
    ]);
    expect(groups.map(({ name, threshold }) => [name, threshold])).toEqual([
      ['X-witnesses', 2],
      ['Y-witnesses', 1],
      ['X-and-Y', 2],
    ]);
    expect(quorum).toBe('X-and-Y');
  });

  it('is reached by any two of the one group with any of the other', () => {
    const policy = parsed(POLICY);
    const names = ['X1', 'X2', 'X3', 'Y1', 'Y2'];
    fc.assert(
      fc.property(fc.subarray(names), (cosigned) => {
        const of = (letter: string) => cosigned.filter((name) => name.startsWith(letter)).length;
        expect(hasQuorum(policy, new Set(cosigned))).toBe(of('X') >= 2 && of('Y') >= 1);
      }),
    );
  });

  it('may need one witness, or none', () => {
    const one = parsed(`witness A ${X1}\nquorum A`);
    expect([hasQuorum(one, new Set()), hasQuorum(one, new Set(['A']))]).toEqual([false, true]);
    expect(hasQuorum(parsed('quorum none'), new Set())).toBe(true);
  });

  it.each([
    ['an unknown word', 'logs', 1, 'neither "log VKEY [URL]"'],
    ['too many words', `log ${LOG} https://a b`, 1, 'neither "log VKEY [URL]"'],
    ['a key that is none', 'log example.com/log', 1, 'the public key is not name+id+key'],
    ["a log's key of a witness", `log ${X1}`, 1, 'the public key has the type 4, not 1'],
    ["a witness's key of a log", `witness A ${LOG}`, 1, 'the public key has the type 1, not 4'],
    [
      'a key twice',
      `witness A ${X1}\nwitness B ${X1}`,
      2,
      'the policy has this key already, in line 1',
    ],
    [
      'one key for both',
      `log ${LOG}\nwitness A ${X1}`,
      2,
      'the policy has this key already, in line 1',
    ],
    ['keys that no signature tells apart', ALIKE, 3, 'the key in line 1 has the same name and id'],
    ['a name twice', `witness A ${X1}\nwitness A ${X2}`, 2, 'the name A is taken'],
    ['a witness of the name none', `witness none ${X1}`, 1, 'the name none is taken'],
    ['an unknown member', `witness A ${X1}\ngroup G any A B`, 2, 'no line before it defines B'],
    ['itself as a member', 'group G any G', 1, 'no line before it defines G'],
    ['a member twice', `witness A ${X1}\ngroup G any A A`, 2, 'A is a member already'],
    ['too high a number', `witness A ${X1}\ngroup G 2 A`, 2, '2 is neither all, any, nor 1 to 1'],
    ['a number of zero', `witness A ${X1}\ngroup G 0 A`, 2, '0 is neither all, any, nor 1 to 1'],
    ['a group without members', 'group G any', 1, 'neither "log VKEY [URL]"'],
    ['an unknown quorum', 'quorum A', 1, 'no line before it defines A'],
    ['a quorum twice', 'quorum none\nquorum none', 2, 'there is a quorum already'],
  ])('is refused with %s', (_, text, line, reason) => {
    expect(parseWitnessPolicy(text)).toEqual({
      ok: false,
      reason: expect.stringContaining(`line ${line} of the policy: ${reason}`),
    });
  });

  it('is refused without a quorum, and with control characters', () => {
    const reasonOf = (text: string) => {
      const policy = parseWitnessPolicy(text);
      return policy.ok ? 'none' : policy.reason;
    };
    expect(reasonOf('')).toBe('the policy has no line with its quorum');
    expect(reasonOf('quorum none\r\n')).toBe('the policy has control characters');
    expect(reasonOf(`witness W\u00ff\u00e9 ${X1}\nquorum W\u00ff\u00e9`)).toBe('none');
  });
});

describe('the witnesses of a policy', () => {
  const signer = new NoteSigner('example.com/log', Buffer.alloc(32, 1));
  const note = signer.signCheckpoint(3, Buffer.alloc(32, 7));
  const text = note.slice(0, note.indexOf('\n\n') + 1);
  const cosigners = KEYS.map((_, index) => {
    return new Cosigner(`w${index}.example`, Buffer.alloc(32, index + 1));
  });
  const lineOf = (index: number, atS: number) => cosigners[index]?.cosign(text, atS) ?? '';
  const policy = parsed(`witness A ${KEYS[1]}\nwitness B ${KEYS[2]}\nwitness C ${KEYS[3]}
group G 2 A B C\nquorum G`);

  it('are each named with the time of their newest cosignature', () => {
    const cosigned = note + lineOf(2, 50) + lineOf(1, 40) + lineOf(2, 60) + lineOf(5, 70);
    const witnessed = verifyWitnesses(cosigned, policy);
    expect(witnessed).toEqual({
      ok: true,
      value: {
        isQuorum: true,
        witnesses: [
          { name: 'A', key: 'w1.example', atS: 40 },
          { name: 'B', key: 'w2.example', atS: 60 },
          { name: 'C', key: 'w3.example', atS: undefined },
        ],
      },
    });
    expect(witnessed.ok && requireQuorum(witnessed.value)).toEqual({ ok: true });
  });

  it('are no quorum where too few have cosigned, which names the others', () => {
    const witnessed = verifyWitnesses(note + lineOf(2, 50) + lineOf(5, 50), policy);
    expect(witnessed).toMatchObject({ ok: true, value: { isQuorum: false } });
    expect(witnessed.ok && requireQuorum(witnessed.value)).toEqual({
      ok: false,
      reason: 'no quorum of witnesses has cosigned: A, C did not',
    });
  });

  it('refuse a note with a cosignature of theirs that is not valid', () => {
    const other = signer.signCheckpoint(4, Buffer.alloc(32, 8));
    const forged = other + lineOf(1, 40) + lineOf(2, 50);
    expect(verifyWitnesses(forged, policy)).toEqual({
      ok: false,
      reason: 'the cosignature by w1.example is not valid',
    });
    expect(verifyWitnesses(other + lineOf(5, 40), policy)).toMatchObject({ ok: true });
    expect(verifyWitnesses('no note', policy)).toMatchObject({ ok: false });
  });
});
