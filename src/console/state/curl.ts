/** Commands of a shell for the requests behind a page. The key is a variable: it is never in a text. */

/** Returns the command for a GET, in two lines. */
export function curlOf(url: string, accept?: string): string {
  const header = accept === undefined ? [] : [`-H ${quoted(`Accept: ${accept}`)}`];
  return [`curl ${quoted(url)}`, '-H "Authorization: Bearer $KEY"', ...header].join(' \\\n  ');
}

/** Returns the three commands that place a first order and read it. */
export function firstCommands(address: string): readonly string[] {
  return [
    `BASE=${quoted(address)} AUTH="Authorization: Bearer $KEY"`,
    `curl "$BASE/v2/store/orders" -H "$AUTH" -H 'Content-Type: application/json' -d '{"petId": "7", "quantity": 1}'`,
    `curl "$BASE/v2/store/orders" -H "$AUTH"`,
  ];
}

/** Returns a text in the single quotes of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
