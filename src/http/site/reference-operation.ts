/** Shows an operation of the API: its request, its answers, and a form to try it. */
import { renderTokens, tokensOf } from './markdown.ts';
import { type Markup, markup } from './markup.ts';
import {
  type Content,
  type DescribedAnswer,
  jsonText,
  type MediaType,
  nameIn,
  type OpenApi,
  type Parameter,
  type Placed,
} from './openapi.ts';
import { joined, line, remark, typeOf } from './reference-schema.ts';
import { tryForm } from './reference-try.ts';

/** Renders a text of the document, which may have several paragraphs. */
export function paragraphs(text: string): Markup {
  return renderTokens(tokensOf(text), () => undefined);
}

/** The section of an operation. Its fragment is the operation's id. */
export function operationSection(placed: Placed, document: OpenApi, version: string): Markup {
  const { path, method, operation } = placed;
  const { operationId, summary, description, parameters = [], requestBody } = operation;
  return markup`<section class="operation" id="${operationId}">
<h3><a href="#${operationId}">${summary}</a></h3>
<p class="signature"><b class="method">${method.toUpperCase()}</b> <code>${`/${version}${path}`}</code>
<span>${operationId}</span> ${badge(placed)}</p>
${paragraphs(description)}
${parametersOf(parameters)}
${requestBody === undefined ? markup`` : bodyOf(requestBody.content)}
${answersOf(placed, document)}
${tryForm(placed, version)}
</section>`;
}

/** Says how stable an operation is, and until when a deprecated one answers. */
function badge({ operation }: Placed): Markup {
  const sunset = operation['x-deprecated-sunset'];
  const stability = operation['x-stability'] ?? 'stable';
  if (sunset === undefined)
    return markup`<span class="badge badge-${stability}">${stability}</span>`;
  return markup`<span class="badge badge-deprecated">deprecated, ends ${sunset}</span>`;
}

function parametersOf(parameters: readonly Parameter[]): Markup {
  if (parameters.length === 0) return markup``;
  const rows = parameters.map(
    ({ name, in: place, required, description, schema }) =>
      markup`<tr><td><code>${name}</code></td><td>${place}${required ? ', required' : ''}</td>
<td>${typeOf(schema)}</td><td>${line(description ?? schema.description)} ${remark(schema)}</td></tr>`,
  );
  return markup`<h4>Parameters</h4>
<div class="scroll"><table>
<thead><tr><th>name</th><th>in</th><th>type</th><th>meaning</th></tr></thead>
<tbody>
${rows}
</tbody></table></div>`;
}

/** The body of a request in each of its forms: the type, and examples. */
function bodyOf(content: Content): Markup {
  return markup`<h4>Request body</h4>
${Object.entries(content).map(([contentType, media]) => mediaOf(contentType, media))}`;
}

function mediaOf(contentType: string, { schema, examples = {} }: MediaType): Markup {
  const shown = Object.entries(examples).map(
    ([name, { value }]) => markup`<details><summary>Example: ${wordsOf(name)}</summary>
<pre><code>${typeof value === 'string' ? value : jsonText(value)}</code></pre></details>`,
  );
  return markup`<p>${typeOf(schema)} <small><code>${contentType}</code></small></p>
${shown}`;
}

function wordsOf(name: string): string {
  return name.replaceAll(/(?<=[a-z])(?=[A-Z0-9])/g, ' ').toLowerCase();
}

function answersOf({ operation }: Placed, document: OpenApi): Markup {
  const answers = Object.entries(operation.responses);
  const own = answers.flatMap(([status, answer]) =>
    '$ref' in answer ? [] : [answerOf(status, answer, document)],
  );
  const shared = answers.flatMap(([status, answer]) =>
    '$ref' in answer
      ? [markup`<a href="#answer-${nameIn(answer.$ref)}"><code>${status}</code></a>`]
      : [],
  );
  return markup`<h4>Answers</h4>
${own}
<p>Errors: ${joined(shared, ', ')}</p>`;
}

/** An answer: what it means, its body and its headers. */
export function answerOf(status: string, answer: DescribedAnswer, document: OpenApi): Markup {
  const { description, content = {}, headers = {}, links = {} } = answer;
  const next = Object.keys(links).map((id) => markup`<a href="#${id}">${id}</a>`);
  const shown = Object.entries(headers).map(([name, { $ref }]) => {
    const header = document.components.headers[nameIn($ref)];
    return markup`<tr><td><code>${name}</code></td><td>${line(header?.description)}</td></tr>`;
  });
  const table = markup`<details><summary>Headers</summary>
<div class="scroll"><table>
<thead><tr><th>header</th><th>meaning</th></tr></thead>
<tbody>
${shown}
</tbody></table></div></details>`;
  return markup`<div class="answer"><p><b>${status}</b> ${line(description.replaceAll('\n\n', ' '))}</p>
${Object.entries(content).map(([contentType, media]) => mediaOf(contentType, media))}
${shown.length === 0 ? markup`` : table}
${next.length === 0 ? markup`` : markup`<p>Go on with ${joined(next, ', ')}</p>`}</div>`;
}
