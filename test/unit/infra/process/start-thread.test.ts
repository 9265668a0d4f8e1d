import { expect, it } from 'vitest';
import { UserError } from '../../../../src/app/lifecycle/user-error.ts';
import { startThread } from '../../../../src/infra/process/start-thread.ts';

it('a thread that cannot be started is a reason that its user can remedy', () => {
  const start = () => startThread('sqlite/check-thread', {}, { execArgv: ['--no-such-option'] });
  expect(start).toThrow(UserError);
  expect(start).toThrow(/^A thread cannot be started: .*--no-such-option\. A limit of processes/);
});
