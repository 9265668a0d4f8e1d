import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { addressOf, newFolder, Program } from '../support/service.ts';

/** The number of the system call setpriority. */
const SETPRIORITY = { x64: 141, arm64: 140 }[process.arch as string];

/** A program that denies it to itself, as a filter of systemd does, and becomes the program named. */
const DENYING = `
import ctypes, os, struct, sys
jump, deny, allow = (0x15, 0, 1, ${SETPRIORITY}), (0x06, 0, 0, 0x50001), (0x06, 0, 0, 0x7fff0000)
code = b''.join(struct.pack('HBBI', *each) for each in [(0x20, 0, 0, 0), jump, deny, allow])
buffer = ctypes.create_string_buffer(code, len(code))
program = ctypes.create_string_buffer(struct.pack('H6xQ', 4, ctypes.addressof(buffer)))
call = ctypes.CDLL(None).prctl
sys.exit(9) if call(38, 1, 0, 0, 0) or call(22, 2, program) else os.execvp(sys.argv[1], sys.argv[1:])
`;
const canDeny =
  process.platform === 'linux' &&
  SETPRIORITY !== undefined &&
  spawnSync('python3', ['-c', DENYING, 'true']).status === 0;

const SERVE = [process.execPath, resolve('dist/main.js'), 'serve'];
const NOTICE = 'the check of the store cannot have a lower priority than requests';

/** Returns the priorities of a process's threads, from -20, the highest, to 19. */
function prioritiesOf(pid: number | undefined): readonly number[] {
  return readdirSync(`/proc/${pid}/task`).map((thread) => {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
    // Behind the name, which may contain anything, the third field is numbered 3.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19 - 3]);
  });
}

test.runIf(process.platform === 'linux')('The check has the lowest priority', async () => {
  const [command = '', ...args] = SERVE;
  await using program = new Program(command, args, newFolder(), { PORT: '0' });
  await addressOf(program);
  await expect
    .poll(() => prioritiesOf(program.child.pid).filter((each) => each === 19))
    .toHaveLength(1);
  expect(program.log.map(({ msg }) => msg)).not.toContain(NOTICE);
});

test.skipIf(!canDeny)('A system that forbids a lower priority is named once', async () => {
  const args = ['-c', DENYING, ...SERVE];
  await using program = new Program('python3', args, newFolder(), { PORT: '0' });
  await addressOf(program);
  const notices = () => program.log.filter(({ msg }) => msg === NOTICE);
  await expect
    .poll(notices)
    .toMatchObject([{ level: 40, cause: expect.stringContaining('EPERM') }]);
  await expect.poll(() => prioritiesOf(program.child.pid)).not.toContain(19);
  expect(await program.end()).toBe(0);
  expect(notices()).toHaveLength(1);
});
