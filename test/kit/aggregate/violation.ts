/** Thrown when a target violates a rule. */
export class Violation extends Error {
  readonly rule: string;
  /** The steps that show it, as a script. */
  readonly script: string | undefined;

  constructor(rule: string, detail: string, script?: string) {
    super(detail);
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

/** Returns the violated rule for anything that was thrown. */
export function brokenBy(error: unknown): { readonly rule: string; readonly detail: string } {
  if (error instanceof Violation) return { rule: error.rule, detail: error.message };
  const detail = error instanceof Error ? error.message : String(error);
  return { rule: 'nothing fails', detail };
}
