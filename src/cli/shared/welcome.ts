import { styleText } from 'node:util';

interface Started {
  readonly address: string;
  /** Shown only if it was created by this start. */
  readonly newKey: string | undefined;
  readonly servesConsole: boolean;
}

/**
 * Returns the text for people once the service has started. It is for standard error: standard
 * output is the log file, in which no key may ever stand.
 */
export function welcome({ address, newKey, servesConsole }: Started): string {
  const reached = `Store Orders answers at ${address}/v1
Read about it and try it: ${address}/docs
${servesConsole ? `Look at its orders in a browser: ${address}/console\n` : ''}`;
  if (newKey === undefined) return reached;
  return `${reached}
This is your first API key. It is shown only now:

  ${styleText('bold', newKey, { stream: process.stderr })}

Place an order with it:

${curl(address, newKey)}

More keys: npx store-orders keys --help
`;
}

/**
 * A request to paste into a shell. The spaces before it are more than looks: a shell that is set to
 * (HISTCONTROL=ignorespace or ignoreboth; HIST_IGNORE_SPACE) keeps a line that begins with one, and
 * so the key, out of its history.
 */
function curl(address: string, key: string): string {
  const headers = `-H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json'`;
  return `  curl ${headers} -d '{"petId": 7, "quantity": 1}' ${address}/v1/store/orders`;
}
