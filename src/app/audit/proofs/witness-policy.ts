/**
 * Policies of witnesses (C2SP tlog-policy): the witnesses that a reader of a log relies on, and the
 * quorum of them that has to have cosigned a checkpoint. A cosignature (C2SP tlog-cosignature)
 * states the time by which a witness had seen no other history of the log.
 */

import { base64Of } from './bytes.ts';
import { type CosignerKey, cosignerKey, verifyCosignature } from './cosignature.ts';
import { MAX_SIGNATURES, type NoteKey, readNoteKey, type Verdict } from './verifier.ts';

/** A log of a policy. Its address has no meaning to the verifier. */
interface PolicyLog {
  readonly vkey: string;
  readonly url: string | undefined;
}

interface PolicyWitness {
  /** Its name within the policy. Signatures carry the name of its key instead. */
  readonly name: string;
  readonly key: CosignerKey;
  /** The prefix of the address to which checkpoints are submitted. */
  readonly url: string | undefined;
}

/** Some members, witnesses or other groups, of which `threshold` have to have cosigned. */
interface PolicyGroup {
  readonly name: string;
  readonly threshold: number;
  readonly members: readonly string[];
}

export interface WitnessPolicy {
  readonly logs: readonly PolicyLog[];
  readonly witnesses: readonly PolicyWitness[];
  /** Each group follows those that it names. */
  readonly groups: readonly PolicyGroup[];
  /** The witness or group that has to have cosigned; `none` where none has to. */
  readonly quorum: string;
}

/** The longest name of a witness's key: so a checkpoint that all have cosigned is a small file. */
export const MAX_KEY_NAME_BYTES = 255;
/** The most witnesses of a policy: all may cosign a checkpoint, which the log signs as well. */
const MAX_WITNESSES = MAX_SIGNATURES - 1;

/** Stands for no witness at all. */
const NONE = 'none';

/** No control characters but tabs and line feeds. */
const FORBIDDEN = /[^\P{Cc}\t\n\u0080-\u009f]/u;

/** Parses the text of a policy file. A refusal names the line. */
export function parseWitnessPolicy(text: string): Verdict<WitnessPolicy> {
  if (FORBIDDEN.test(text)) return refused('the policy has control characters');
  const reader = new PolicyReader();
  for (const [index, line] of text.split('\n').entries()) {
    const [kind = '#', ...words] = line.split(/[ \t]+/).filter((word) => word !== '');
    if (kind.startsWith('#')) continue;
    const fault = reader.read(index + 1, kind, words);
    if (fault !== undefined) return refused(`line ${index + 1} of the policy: ${fault}`);
  }
  const { logs, witnesses, groups, quorum } = reader;
  if (quorum === undefined) return refused('the policy has no line with its quorum');
  return { ok: true, value: { logs, witnesses, groups, quorum } };
}

/**
 * Returns true if the witnesses that cosigned are a quorum.
 * @param cosigned The names of witnesses of the policy.
 */
export function hasQuorum(policy: WitnessPolicy, cosigned: ReadonlySet<string>): boolean {
  const reached = new Set([NONE, ...cosigned]);
  for (const { name, threshold, members } of policy.groups) {
    if (members.filter((member) => reached.has(member)).length >= threshold) reached.add(name);
  }
  return reached.has(policy.quorum);
}

/** The cosignatures of a checkpoint by the witnesses of a policy. */
export interface Witnessed {
  /** One for each witness of the policy, in its order. */
  readonly witnesses: readonly WitnessStatement[];
  /** True if those that cosigned are a quorum. */
  readonly isQuorum: boolean;
}

interface WitnessStatement {
  /** Its name within the policy. */
  readonly name: string;
  /** The name of its key. */
  readonly key: string;
  /** The time of its newest cosignature, in seconds of Unix time; `undefined` if there is none. */
  readonly atS: number | undefined;
}

/**
 * Returns the witnesses of a policy that have cosigned a checkpoint. Refuses a note with a cosignature by
 * any of them that is not valid. The log's own signature is not verified here.
 */
export function verifyWitnesses(note: string, policy: WitnessPolicy): Verdict<Witnessed> {
  const witnesses: WitnessStatement[] = [];
  for (const { name, key } of policy.witnesses) {
    const atS = verifyCosignature(note, key);
    if (!atS.ok) return atS;
    witnesses.push({ name, key: key.name, atS: atS.value });
  }
  const cosigned = witnesses.filter(({ atS }) => atS !== undefined).map(({ name }) => name);
  return { ok: true, value: { witnesses, isQuorum: hasQuorum(policy, new Set(cosigned)) } };
}

/** Refuses a checkpoint that no quorum of a policy has cosigned. The reason names the others. */
export function requireQuorum({ witnesses, isQuorum }: Witnessed): Verdict<void> {
  if (isQuorum) return { ok: true, value: undefined };
  const missing = witnesses.filter(({ atS }) => atS === undefined).map(({ name }) => name);
  return refused(`no quorum of witnesses has cosigned: ${missing.join(', ')} did not`);
}

/** Reads a policy line by line. Each method returns the fault of a line. */
class PolicyReader {
  readonly logs: PolicyLog[] = [];
  readonly witnesses: PolicyWitness[] = [];
  readonly groups: PolicyGroup[] = [];
  quorum: string | undefined;
  /** All names of witnesses and groups so far. */
  readonly #names = new Set<string>();
  /** Those that are a member of a group: each is of one at most. */
  readonly #members = new Set<string>();
  /** The lines of the public keys so far: one key under two names would count twice. */
  readonly #keys = new Map<string, number>();
  /** Those of the names and ids of these keys: a signature has nothing else of its key. */
  readonly #ids = new Map<string, number>();
  #line = 0;

  read(line: number, kind: string, words: readonly string[]): string | undefined {
    this.#line = line;
    const { length } = words;
    const [first = '', second = '', third] = words;
    if (kind === 'log' && [1, 2].includes(length)) return this.#log(first, words[1]);
    if (kind === 'witness' && [2, 3].includes(length)) return this.#witness(first, second, third);
    if (kind === 'group' && length >= 3) return this.#group(first, second, words.slice(2));
    if (kind === 'quorum' && length === 1) return this.#quorum(first);
    return 'neither "log VKEY [URL]", "witness NAME VKEY [URL]", "group NAME K NAME…", nor "quorum NAME"';
  }

  #log(vkey: string, url: string | undefined): string | undefined {
    const key = readNoteKey(vkey);
    if (!key.ok) return key.reason;
    this.logs.push({ vkey, url });
    return this.#newKey(key.value);
  }

  #witness(name: string, vkey: string, url: string | undefined): string | undefined {
    const key = cosignerKey(vkey);
    if (!key.ok) return key.reason;
    if (new TextEncoder().encode(key.value.name).length > MAX_KEY_NAME_BYTES) {
      return `the name of the key has more than ${MAX_KEY_NAME_BYTES} bytes`;
    }
    if (this.witnesses.length === MAX_WITNESSES) {
      const bound = `a checkpoint has ${MAX_SIGNATURES} signatures at most, one of them by the log`;
      return `it is one witness more than ${MAX_WITNESSES}: ${bound}`;
    }
    this.witnesses.push({ name, key: key.value, url });
    return this.#define(name) ?? this.#newKey(key.value);
  }

  #group(name: string, size: string, members: readonly string[]): string | undefined {
    const unknown = members.find((member) => !this.#names.has(member));
    if (unknown !== undefined) return `no line before it defines ${unknown}`;
    for (const member of members) {
      if (this.#members.has(member)) return `${member} is a member already`;
      this.#members.add(member);
    }
    const threshold = thresholdOf(size, members.length);
    if (threshold === undefined) return `${size} is neither all, any, nor 1 to ${members.length}`;
    this.groups.push({ name, threshold, members });
    return this.#define(name);
  }

  #quorum(name: string): string | undefined {
    if (this.quorum !== undefined) return 'there is a quorum already';
    if (name !== NONE && !this.#names.has(name)) return `no line before it defines ${name}`;
    this.quorum = name;
    return undefined;
  }

  #define(name: string): string | undefined {
    if (name === NONE || this.#names.has(name)) return `the name ${name} is taken`;
    this.#names.add(name);
    return undefined;
  }

  #newKey({ name, id, publicKey }: NoteKey): string | undefined {
    const [key, nameAndId] = [base64Of(publicKey), `${name}+${base64Of(id)}`];
    const [same, alike] = [this.#keys.get(key), this.#ids.get(nameAndId)];
    if (same !== undefined) return `the policy has this key already, in line ${same}`;
    if (alike !== undefined) return `the key in line ${alike} has the same name and id`;
    this.#keys.set(key, this.#line);
    this.#ids.set(nameAndId, this.#line);
    return undefined;
  }
}

function thresholdOf(size: string, members: number): number | undefined {
  if (size === 'all') return members;
  if (size === 'any') return 1;
  const threshold = /^[1-9]\d{0,5}$/.test(size) ? Number(size) : Number.POSITIVE_INFINITY;
  return threshold <= members ? threshold : undefined;
}

function refused(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}
