import { asText } from './text.ts';

/** Violations of rules by what is tested, and other errors that it throws, in words. */

/** Thrown when a target violates a rule. */
export class Violation extends Error {
  readonly rule: string;
  /** The steps that show it, as a script. */
  readonly script: string | undefined;

  /** @param options `cause` is the error of the target, if it threw one. */
  constructor(
    rule: string,
    detail: string,
    script?: string,
    options?: { readonly cause: unknown },
  ) {
    super(detail, options);
    this.name = 'Violation';
    this.rule = rule;
    this.script = script;
  }
}

/** Returns the violation of an assertion that has checked nothing, with the reason. */
export function nothingChecked(target: string, why: string): Violation {
  const rule = 'an assertion checks something';
  return new Violation(rule, `${target}: ${why}: ${rule}`);
}

/** Returns what was thrown, or an error in its place if even to read it throws, such as its message. */
export function readable(thrown: unknown): unknown {
  try {
    if (thrown instanceof Violation) return thrown;
    messageOf(thrown);
    // fast-check reads these, too.
    for (const name of ['footprint', 'stack']) Reflect.get(Object(thrown), name);
    return thrown;
  } catch {
    return unreadable();
  }
}

function unreadable(): Error {
  return new Error('what was thrown cannot be read: its members throw');
}

/** Returns the violated rule for anything that was thrown; `cause` has what the target threw itself. */
export function brokenBy(thrown: unknown): {
  readonly rule: string;
  readonly detail: string;
  readonly cause?: unknown;
} {
  const error = readable(thrown);
  if (!(error instanceof Violation)) {
    return { rule: 'nothing fails', detail: messageOf(error), cause: error };
  }
  const { rule, message: detail } = error;
  return { rule, detail, ...('cause' in error && { cause: error.cause }) };
}

/** Returns the options of a violation with the same cause, if there is one: test runners show it with its stack. */
export function causeIn(broken: {
  readonly cause?: unknown;
}): { readonly cause: unknown } | undefined {
  return 'cause' in broken ? { cause: broken.cause } : undefined;
}

/** The most causes of causes that a message names. */
const MAX_CAUSES = 5;

/** Returns the message of an error, with those of its causes: it is often they that say what is wrong. */
function messageOf(error: unknown, causes = 0): string {
  const { message, name, errors, cause } = Object(error) as Partial<AggregateError>;
  if (typeof message !== 'string') return typeof error === 'object' ? shown(error) : String(error);
  const own = message === '' ? (name ?? 'Error') : message;
  const inner = [Array.isArray(errors) ? errors : [], cause ?? []].flat();
  if (inner.length === 0 || causes === MAX_CAUSES) return own;
  const texts = inner.map((each) => messageOf(each, causes + 1)).filter((it) => !own.includes(it));
  return texts.length === 0 ? own : `${own} (${[...new Set(texts)].join('; ')})`;
}

function shown(value: unknown): string {
  try {
    return asText(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}
