import vm from 'node:vm';

/** Returns the value of a JavaScript expression, as when it is pasted into a test. */
export function evaluated(expression: string): unknown {
  return vm.runInThisContext(`(${expression})`);
}
