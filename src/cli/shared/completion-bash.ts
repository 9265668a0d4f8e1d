import { type CommandNode, nodesOf, type Value } from './command-tree.ts';

/**
 * Returns the completion of bash (3.2 and newer) for a program. The words before the cursor lead to a
 * command; then the word before the cursor decides between a value of an option, the options, and
 * the subcommands or arguments.
 */
export function bashCompletion(program: CommandNode): string {
  const name = program.explained.name();
  const nodes = nodesOf(program);
  return `# bash completion of ${name}
_store_orders() {
  local IFS=$'\\n' path='' words='' flags='' files='' at current previous
  current=\${COMP_WORDS[COMP_CWORD]}
  previous=\${COMP_WORDS[COMP_CWORD - 1]}
  # An option and its value may have a = between them, which is a word of its own.
  if [[ $current == '=' ]]; then current=''
  elif [[ $previous == '=' ]]; then previous=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "$path \${COMP_WORDS[at]}" in
      ${nodes.slice(1).map(pathOf).map(quoted).join(' | ')}) path="$path \${COMP_WORDS[at]}" ;;
    esac
  done
  case "$path" in
${nodes.map(choicesOf).join('\n')}
  esac
  case "$path $previous" in
${nodes.flatMap(valuesOf).join('\n')}
    *) [[ $current == -* ]] && words=$flags files='' ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ -n $files ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY+=($(compgen -f -- "$current"))
  fi
}
complete -F _store_orders ${name}
`;
}

/** Returns the words of a command, each with a blank before it. */
function pathOf({ words }: CommandNode): string {
  return words.map((word) => ` ${word}`).join('');
}

function choicesOf(node: CommandNode): string {
  const { flags, below, takes } = node;
  const words = [
    ...below.map(({ words }) => words.at(-1) ?? ''),
    ...takes.flatMap(({ choices }) => choices),
  ];
  const files = takes.some(({ isFile }) => isFile) ? ' files=yes' : '';
  const all = flags.flatMap((flag) => flag.flags);
  return `    ${quoted(pathOf(node))}) words=${lines(words)} flags=${lines(all)}${files} ;;`;
}

/** Returns the values of the options of a command that take one. */
function valuesOf(node: CommandNode): readonly string[] {
  return node.flags.flatMap(({ flags, value }) => {
    if (value === undefined) return [];
    const patterns = flags.map((flag) => quoted(`${pathOf(node)} ${flag}`));
    return [
      `    ${patterns.join(' | ')}) words=${lines(value.choices)} files=${filesOf(value)} ;;`,
    ];
  });
}

function filesOf({ isFile }: Value): string {
  return isFile ? 'yes' : "''";
}

function lines(words: readonly string[]): string {
  return `$'${words.join('\\n')}'`;
}

function quoted(text: string): string {
  return `'${text}'`;
}
