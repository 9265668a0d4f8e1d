import { spawnSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Place } from '../../support/command-line.ts';
import { newFolder } from '../../support/service.ts';

/** Runs a shell in a folder with one file, and the completion of that shell in the file `complete`. */
async function inShell(shell: string, args: readonly string[]): Promise<readonly string[]> {
  const folder = newFolder();
  writeFileSync(join(folder, 'orders.csv'), '');
  const { code, out } = await new Place().run('completion', shell);
  expect(code).toBe(0);
  writeFileSync(join(folder, 'complete'), out);
  symlinkSync(resolve('bin/store-orders'), join(folder, 'store-orders'));
  const { status, stdout, stderr } = spawnSync(shell, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: `${folder}:/usr/bin:/bin`, HOME: folder, TERM: 'dumb' },
  });
  expect([status, stderr]).toEqual([0, '']);
  return stdout
    .trim()
    .split(/\s*\r?\n/)
    .filter((line) => line !== '');
}

const isThere = (program: string) => spawnSync(program, ['--version']).error === undefined;

/** A line before the cursor, and some of the words that must complete it. */
const LINES: readonly [line: string, words: readonly string[], never: readonly string[]][] = [
  ['store-orders ', ['serve', 'keys', 'audit', 'completion'], ['create', 'orders.csv']],
  ['store-orders au', ['audit'], ['serve']],
  ['store-orders keys ', ['create', 'limit', 'list', 'revoke'], ['serve', 'orders.csv']],
  ['store-orders keys create --', ['--name', '--scopes', '--json', '--help'], ['--out']],
  ['store-orders import ', ['orders.csv'], ['serve']],
  ['store-orders import --format ', ['ndjson', 'csv'], ['orders.csv']],
  ['store-orders audit receipt --out ', ['orders.csv'], ['--position']],
  ['store-orders audit receipt --out x --po', ['--position'], ['--out']],
  ['store-orders completion ', ['bash', 'zsh', 'fish'], ['orders.csv']],
  ['store-orders serve --port ', [], ['--host', 'orders.csv']],
];

describe('The completion', () => {
  it.each(LINES)('of bash after %j', async (line, words, never) => {
    const found = await inShell('bash', ['--norc', '-c', BASH, 'bash', line]);
    expectWords(found, words, never);
  });

  it.skipIf(!isThere('zsh')).each(LINES)('of zsh after %j', async (line, words, never) => {
    const found = await inShell('zsh', ['-f', '-c', ZSH, 'zsh', line]);
    expectWords(found, words, never);
  });

  it.skipIf(!isThere('fish')).each(LINES)('of fish after %j', async (line, words, never) => {
    const command = 'source complete; complete -C "$argv[1]"';
    const found = await inShell('fish', ['--no-config', '-c', command, line]);
    expectWords(
      found.map((text) => text.split('\t')[0] ?? ''),
      words,
      never,
    );
  });

  it('of bash completes the value behind a =', async () => {
    const found = await inShell('bash', [
      '--norc',
      '-c',
      BASH,
      'bash',
      'store-orders import --format = c',
    ]);
    expect(found).toEqual(['csv']);
  });
});

function expectWords(found: readonly string[], words: readonly string[], never: readonly string[]) {
  const message = found.join(' ');
  for (const word of words) expect(found, message).toContain(word);
  for (const word of never) expect(found, message).not.toContain(word);
}

/** Calls the function of the completion as bash does at a tab. */
const BASH = `
. ./complete
read -ra COMP_WORDS <<< "$1"
[[ $1 == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
_store_orders store-orders
printf '%s\\n' "\${COMPREPLY[@]}"
`;

/** Types the line and a tab into an interactive zsh, and prints what it adds as matches. */
const ZSH = `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; autoload -U compinit; compinit -u -D; . ./complete
zstyle ':completion:*' list-separator ''
compadd() {
  local -a found; local arg
  builtin compadd -O found \\"\\$@\\"
  print -l -- 'match:'\\$^found
}
PS1=rea''dy"
# The prompt: from then on the shell itself takes each key, and not the terminal, to which one is a signal.
zpty -r shell seen '*ready*'
zpty -w -n shell "$1"$'\\t'
# A key, not a signal: it is taken after the tab.
zpty -w -n shell $'\\x15'
zpty -w shell 'print do''ne'
zpty -r shell seen '*done*'
for line in "\${(f)seen}"; do [[ $line == *match:* ]] && print -r -- "\${\${line##*match:}%%[[:space:]]*}"; done
true
`;
