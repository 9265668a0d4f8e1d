/** The reference of a version: its OpenAPI document as a page. */
import type { DescribedVersion } from '../description/description.ts';
import { layOut, rootFrom } from './layout.ts';
import { type Markup, markup } from './markup.ts';
import { nameIn, type OpenApi, operationsOf, type Placed, parseOpenApi } from './openapi.ts';
import { answerOf, operationSection, paragraphs } from './reference-operation.ts';
import { line, propertiesOf } from './reference-schema.ts';

/**
 * Returns the reference page of a version.
 * @param json The document.
 */
export function referencePage({ name }: DescribedVersion, json: string): string {
  // Version 1 is at /docs, version 2 one level below it.
  const root = rootFrom(name === 'v1' ? 'docs' : `docs/${name}`);
  const document = parseOpenApi(json);
  const operations = operationsOf(document);
  return layOut({
    title: `Store Orders ${name}: reference`,
    root,
    here: name,
    head: markup`<link rel="alternate" href="${root}openapi/${name}.json" type="application/json" title="OpenAPI ${name}">
<link rel="stylesheet" href="${root}docs/guides.css">
<link rel="stylesheet" href="${root}docs/reference.css">
<script src="${root}docs/reference.js" type="module"></script>`,
    main: markup`<div class="guide reference">
<div class="aside">
<nav aria-label="Operations">
${document.tags.map((tag) => listOf(tag.name, operations))}
</nav>
</div>
<main class="text">
<h1>${document.info.title} ${document.info.version}</h1>
${paragraphs(document.info.description)}
<p>The same for programs: <a href="${root}openapi/${name}.json">OpenAPI 3.1</a>.</p>
<p>The commands below need two variables of a shell: the address of the service without a version, and an API key.</p>
<pre><code>BASE=http://127.0.0.1:3000 KEY=sto_…</code></pre>
${settings(document, root)}
${document.tags.map(({ name: tag, description }) => {
  const own = ofTag(tag, operations);
  return markup`<h2 id="${`tag-${tag}`}"><a href="#tag-${tag}">${capitalized(tag)}</a></h2>
<p>${line(description)}</p>
${own.map((placed) => operationSection(placed, document, name))}`;
})}
${errors(document)}
${schemas(document)}
</main>
</div>`,
  });
}

/** The server and the key that the forms use. A script shows them. */
function settings({ servers }: OpenApi, root: string): Markup {
  const options = servers.map(({ url, description }) => {
    // An address of this service holds wherever a proxy has put the site.
    const address = url.replace(/^\//, root);
    return markup`<option value="${address}">${url}: ${description}</option>`;
  });
  return markup`<form id="settings" hidden>
<label><span>Server</span><select id="server">${options}</select></label>
<label><span>API key</span><input id="key" type="password" autocomplete="off" spellcheck="false"></label>
<p class="hint">The forms below send requests with this key. It is forgotten with the page.</p>
</form>
<noscript><p class="hint">The forms to try an operation need JavaScript; nothing else here does.</p></noscript>`;
}

function listOf(tag: string, operations: readonly Placed[]): Markup {
  const items = ofTag(tag, operations).map((placed) => {
    const { method, operation } = placed;
    return markup`<li><a href="#${operation.operationId}"><b class="method">${method.toUpperCase()}</b>
${operation.operationId}</a></li>`;
  });
  return markup`<details open><summary>${capitalized(tag)}</summary>
<ul>
${items}
</ul></details>`;
}

function ofTag(tag: string, operations: readonly Placed[]): readonly Placed[] {
  return operations.filter(({ operation }) => operation.tags.includes(tag));
}

/** The errors that operations share, each described once. */
function errors(document: OpenApi): Markup {
  const status = new Map<string, string>();
  for (const { operation } of operationsOf(document)) {
    for (const [code, answer] of Object.entries(operation.responses)) {
      if ('$ref' in answer) status.set(nameIn(answer.$ref), code);
    }
  }
  const sections = [...status]
    .sort(([, a], [, b]) => Number(a) - Number(b))
    .flatMap(([name, code]) => {
      const answer = document.components.responses[name];
      if (answer === undefined) return [];
      return [markup`<section id="answer-${name}">${answerOf(code, answer, document)}</section>`];
    });
  return markup`<h2 id="errors"><a href="#errors">Errors</a></h2>
${sections}`;
}

function schemas({ components }: OpenApi): Markup {
  const sections = Object.entries(components.schemas).map(
    ([name, schema]) => markup`<section id="schema-${name}">
<h3><a href="#schema-${name}">${name}</a></h3>
<p>${line(schema.description)}</p>
${propertiesOf(schema)}
</section>`,
  );
  return markup`<h2 id="schemas"><a href="#schemas">Schemas</a></h2>
${sections}`;
}

function capitalized(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}
