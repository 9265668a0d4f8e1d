import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';

/**
 * Reads traces of executable specifications in the Informal Trace Format, which Quint, Apalache and TLC
 * write: https://apalache-mc.org/docs/adr/015adr-trace.html.
 */

/** A value of a specification. Integers are bigint; sets and tuples are arrays; an unserializable value is text. */
export type ItfValue =
  | bigint
  | boolean
  | string
  | readonly ItfValue[]
  | ReadonlyMap<ItfValue, ItfValue>
  | { readonly [field: string]: ItfValue };

export interface ItfState {
  /** The values of the specification's variables, by their names. */
  readonly variables: Readonly<Record<string, ItfValue>>;
  /** The name of the action that led to the state; absent unless Quint ran with `--mbt`. */
  readonly action?: string;
  /** The values that the action drew, by their names; empty unless Quint ran with `--mbt`. */
  readonly picks: Readonly<Record<string, ItfValue>>;
}

export interface ItfTrace {
  /** The file's name. */
  readonly name: string;
  /** The states, the initial one first. */
  readonly states: readonly ItfState[];
}

const ENDING = '.itf.json';
const [ACTION, PICKS] = ['mbt::actionTaken', 'mbt::nondetPicks'] as const;

/**
 * Reads the trace in a file, or the traces in all files of a folder that end in `.itf.json`, by name.
 * Throws if there is none, or if one is no trace.
 */
export async function itfTraces(path: string): Promise<readonly ItfTrace[]> {
  if (!(await stat(path)).isDirectory()) {
    return [decodeItf(basename(path), await readFile(path, 'utf8'))];
  }
  const names = (await readdir(path)).filter((name) => name.endsWith(ENDING)).sort();
  if (names.length === 0) throw new Error(`${path} has no file that ends in ${ENDING}`);
  const traces: ItfTrace[] = [];
  for (const name of names) traces.push(decodeItf(name, await readFile(join(path, name), 'utf8')));
  return traces;
}

/** Parses the text of a trace. Throws if it is none. */
export function decodeItf(name: string, text: string): ItfTrace {
  try {
    const { states } = JSON.parse(text);
    if (!Array.isArray(states)) throw new TypeError('it has no states');
    return { name, states: states.map(stateOf) };
  } catch (error) {
    throw new Error(
      `${name} is no trace in the Informal Trace Format: ${(error as Error).message}`,
    );
  }
}

function stateOf(state: unknown): ItfState {
  if (typeof state !== 'object' || state === null) throw new TypeError(`${state} is no state`);
  const { '#meta': _, ...all } = state as Record<string, unknown>;
  const { [ACTION]: action, [PICKS]: picks = {}, ...rest } = all;
  const variables = fieldsOf(rest);
  const drawn = Object.entries(picks as object).filter(([, { tag }]) => tag === 'Some');
  return {
    variables,
    ...(typeof action === 'string' && { action }),
    picks: fieldsOf(Object.fromEntries(drawn.map(([name, { value }]) => [name, value]))),
  };
}

function decoded(json: unknown): ItfValue {
  if (typeof json === 'string' || typeof json === 'boolean') return json;
  if (typeof json === 'number') return BigInt(json);
  if (Array.isArray(json)) return json.map(decoded);
  if (typeof json !== 'object' || json === null) throw new TypeError(`${json} is no value`);
  const [[kind, content] = [], ...others] = Object.entries(json);
  if (others.length > 0 || !kind?.startsWith('#')) return fieldsOf(json);
  switch (kind) {
    case '#bigint':
      return BigInt(content);
    case '#tup':
    case '#set':
      return content.map(decoded);
    case '#map':
      return new Map(content.map(([key, value]: unknown[]) => [decoded(key), decoded(value)]));
    case '#unserializable':
      return String(content);
    default:
      throw new TypeError(`${kind} is no kind of value`);
  }
}

function fieldsOf(json: object): Readonly<Record<string, ItfValue>> {
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, decoded(value)]));
}
