import { type CommandNode, type Flag, nodesOf, type Value } from './command-tree.ts';

/** Returns the completion of fish for a program: a line for each word that may follow a command. */
export function fishCompletion(program: CommandNode): string {
  const name = program.explained.name();
  const nodes = nodesOf(program);
  const paths = nodes.slice(1).map(({ words }) => quoted(words.join(' ')));
  const lines = nodes.flatMap((node) => {
    const at = `complete -c ${name} -n ${quoted(`__store_orders_at ${node.words.join(' ')}`.trim())}`;
    return [
      ...node.below.map(({ words, summary }) => `${at} -a ${words.at(-1)} -d ${quoted(summary)}`),
      ...node.takes.flatMap((value) => completionsOf(value).map((args) => `${at} ${args}`)),
      ...node.flags.map((flag) => `${at} ${flagOf(flag)}`),
    ];
  });
  return `# fish completion of ${name}
function __store_orders_at -d 'Tells if the words before the cursor lead to this command'
  set -l at
  for word in (commandline -opc)[2..]
    contains -- (string join -- ' ' $at $word) ${paths.join(' ')}; and set -a at $word
  end
  test "$at" = "$argv"
end
complete -c ${name} -f
${lines.join('\n')}
`;
}

function flagOf({ flags, summary, value }: Flag): string {
  const names = flags.map((flag) =>
    flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag[1]}`,
  );
  const takes = value === undefined ? [] : [value.isFile ? '-r' : '-x', ...completionsOf(value)];
  return [...names, ...takes, `-d ${quoted(summary)}`].join(' ');
}

function completionsOf({ isFile, choices }: Value): readonly string[] {
  if (isFile) return ['-F'];
  return choices.length === 0 ? [] : [`-a ${quoted(choices.join(' '))}`];
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
