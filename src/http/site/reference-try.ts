/** The command that sends a request, and the form that a script of the page sends it by. */
import { type Markup, markup } from './markup.ts';
import { jsonText, type Parameter, type Placed, type Schema } from './openapi.ts';

/** The reason why `listOrders` has no form. */
const NO_FORM: Readonly<Record<string, string>> = {
  v1:
    'This operation has no form here, because its contract switches it off: ' +
    'the answer is the whole store.',
};
const NO_FORM_ELSE = 'This operation has no form here, as it has none in version 1.';

/** The command line for an operation, and its form unless the description hides it. */
export function tryForm(placed: Placed, version: string): Markup {
  const { operation } = placed;
  const { parameters = [] } = operation;
  const isHidden = operation['x-hideTryItPanel'] === true;
  const command = markup`<h4>Request</h4>
<pre><code>${commandOf(placed, version)}</code></pre>`;
  if (isHidden) return markup`${command}<p class="hint">${NO_FORM[version] ?? NO_FORM_ELSE}</p>`;
  const [success] = Object.entries(operation.responses);
  const types = success !== undefined && 'content' in success[1] ? success[1].content : undefined;
  return markup`${command}
<form class="try" hidden data-method="${placed.method.toUpperCase()}" data-path="${placed.path}">
<h4>Try it</h4>
${parameters.map(field)}
${acceptOf(Object.keys(types ?? {}))}
${bodyField(placed)}
<p><button type="submit">Send</button> <button type="button" class="stop" hidden>Stop</button></p>
<div class="result" hidden><p role="status"></p>
<pre class="body"></pre><pre class="headers"></pre></div>
</form>`;
}

function field({ name, in: place, required, schema }: Parameter): Markup {
  const isRequired = required === true ? markup` required` : markup``;
  const common = markup`data-in="${place}" name="${name}"${isRequired}`;
  if (schema.enum === undefined || schema.type === 'array') {
    return markup`<label><span><code>${name}</code> ${place}</span>
<input ${common} autocomplete="off" spellcheck="false"></label>`;
  }
  const options = schema.enum.map((value) => markup`<option>${String(value)}</option>`);
  return markup`<label><span><code>${name}</code> ${place}</span>
<select ${common}><option value=""></option>${options}</select></label>`;
}

/** A choice between the forms of the answer, where there are several. */
function acceptOf(types: readonly string[]): Markup {
  if (types.length < 2) return markup``;
  return markup`<label><span><code>Accept</code> header</span>
<select data-in="header" name="Accept">${types.map((type) => markup`<option>${type}</option>`)}</select></label>`;
}

function bodyField(placed: Placed): Markup {
  const body = exampleBody(placed);
  if (body === undefined) return markup``;
  const rows = String(body.split('\n').length + 1);
  return markup`<label><span>Body</span>
<textarea name="body" rows="${rows}" spellcheck="false">${body}</textarea></label>`;
}

function exampleBody({ operation }: Placed): string | undefined {
  const media = operation.requestBody?.content['application/json'];
  if (media === undefined) return undefined;
  const [example] = Object.values(media.examples ?? {});
  return jsonText(example?.value ?? {});
}

/** Returns the command that sends the request with curl: its required parameters, and an example's body. */
function commandOf(placed: Placed, version: string): string {
  const { path, method, operation } = placed;
  const { parameters = [] } = operation;
  const needed = parameters.filter(({ required }) => required === true);
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => sampleOf(needed, name));
  const query = needed
    .filter((parameter) => parameter.in === 'query')
    .map(({ name }) => `${name}=${sampleOf(needed, name)}`)
    .join('&');
  const body = exampleBody(placed);
  const oneLine = body?.replaceAll(/\n\s*/g, ' ');
  return [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"$BASE/${version}${target}${query && `?${query}`}"`,
    '-H "Authorization: Bearer $KEY"',
    ...(oneLine === undefined ? [] : [`-H 'Content-Type: application/json' -d '${oneLine}'`]),
  ].join(' \\\n  ');
}

function sampleOf(parameters: readonly Parameter[], name: string): string {
  return sampleValue(parameters.find((parameter) => parameter.name === name)?.schema);
}

function sampleValue({ minimum, enum: values }: Schema = {}): string {
  const [first] = values ?? [];
  if (first !== undefined) return String(first);
  return minimum !== undefined && minimum > 1n ? String(minimum) : '1';
}
