/**
 * What a person is told when the service has started, on standard error: standard output belongs
 * to the JSON log, in which no key may ever stand.
 */
export function welcome(address: string, newKey: string | undefined): string {
  const reached = `Store Orders answers at ${address}/v1\n`;
  if (newKey === undefined) return reached;
  return `${reached}
This is your first API key. It is shown only now:

  ${newKey}

Place an order, list all orders, cancel one:

${curls(address, newKey).join('\n')}

More keys: npx store-orders keys --help
`;
}

/** Three requests to paste into a shell. */
function curls(address: string, key: string): readonly string[] {
  const curl = `  curl -i -H 'Authorization: Bearer ${key}'`;
  const orders = `${address}/v1/store/orders`;
  const order = `{"petId": 7, "quantity": 1}`;
  return [
    `${curl} -H 'Content-Type: application/json' -d '${order}' ${orders}`,
    `${curl} ${orders}`,
    `${curl} -X DELETE ${orders}/1`,
  ];
}
