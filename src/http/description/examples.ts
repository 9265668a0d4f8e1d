/**
 * The examples in the description: requests and responses recorded in a real run. Times and random
 * values are replaced by fixed ones, so that each run records the same.
 */
import type { ErrorCode } from '../api-error.ts';
import recorded from './examples.json' with { type: 'json' };

/** Bodies by name. */
type Bodies = Readonly<Record<string, string>>;
interface Recorded {
  readonly versions: Readonly<Record<string, Readonly<Record<string, Bodies>>>>;
  /** By status and code. */
  readonly errors: Readonly<Record<string, string>>;
}

export type Examples = ReturnType<typeof examplesOf>;

export function examplesOf(version: string) {
  const { versions, errors }: Recorded = recorded;
  const of = (name: string) => asExamples(versions[version]?.[name] ?? {});
  return {
    requestOf: (operationId: string) => of(`${operationId} request`),
    answerOf: (operationId: string, status: number) => of(`${operationId} ${status}`),
    ofErrors: (status: number, codes: readonly ErrorCode[]) => {
      const known = codes.flatMap((code) => {
        const body = errors[`${status} ${code}`];
        return body === undefined ? [] : [[code, body] as const];
      });
      return asExamples(Object.fromEntries(known));
    },
  };
}

function asExamples(bodies: Bodies): object {
  const entries = Object.entries(bodies);
  if (entries.length === 0) return {};
  return {
    examples: Object.fromEntries(
      entries.map(([name, body]) => [name, { value: JSON.parse(body, wholeAsBigint) }]),
    ),
  };
}

function wholeAsBigint(_key: string, value: unknown, context?: { readonly source?: string }) {
  return typeof value === 'number' ? BigInt(context?.source ?? value) : value;
}
