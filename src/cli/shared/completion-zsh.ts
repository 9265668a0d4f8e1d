import { type CommandNode, type Flag, nodesOf, type Value } from './command-tree.ts';

/**
 * Returns the completion of zsh for a program: a function for each command, which hands on to the
 * function of a subcommand.
 */
export function zshCompletion(program: CommandNode): string {
  const name = program.explained.name();
  return `#compdef ${name}
${nodesOf(program).map(functionOf).join('\n')}
# Run where it is loaded as a file of $fpath; registered where it is evaluated.
if [[ $funcstack[1] == _${name} ]]; then ${nameOf(program)} "$@"; else compdef ${nameOf(program)} ${name}; fi
`;
}

function functionOf(node: CommandNode): string {
  const { below, flags, takes } = node;
  const specs = flags.map(flagSpec);
  if (below.length === 0) {
    return `${nameOf(node)}() {
  _arguments -s ${[...specs, ...takes.map(argumentSpec)].join(' \\\n    ')}
}`;
  }
  const commands = below.map(({ words, summary }) => {
    return quoted(`${words.at(-1)}:${summary.replaceAll(':', '\\:')}`);
  });
  const cases = below.map((one) => `      ${one.words.at(-1)}) ${nameOf(one)} ;;`);
  return `${nameOf(node)}() {
  local state line
  typeset -A opt_args
  _arguments -C ${[...specs, "'1: :->command'", "'*:: :->rest'"].join(' \\\n    ')}
  case $state in
    command)
      local -a commands=(${commands.join('\n        ')})
      _describe -t commands command commands
      ;;
    rest) case $line[1] in
${cases.join('\n')}
    esac ;;
  esac
}`;
}

function nameOf({ words }: CommandNode): string {
  return ['_store_orders', ...words].join('_');
}

function flagSpec({ flags, summary, value }: Flag): string {
  const explained = `[${summary.replaceAll(/[[\]:]/g, '\\$&')}]`;
  const [first = '', second] = flags;
  const rest = value === undefined ? '' : `:${value.name}:${actionOf(value)}`;
  if (second !== undefined) return `'(${flags.join(' ')})'{${flags.join(',')}}${quoted(explained)}`;
  // With = the value may also follow as the next word.
  return quoted(`*${first}${value === undefined ? '' : '='}${explained}${rest}`);
}

function argumentSpec(value: Value): string {
  return quoted(`:${value.name}:${actionOf(value)}`);
}

function actionOf({ isFile, choices }: Value): string {
  if (isFile) return '_files';
  return choices.length === 0 ? ' ' : `(${choices.join(' ')})`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
