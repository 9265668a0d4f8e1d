import { layOut } from './layout.ts';
import { markup } from './markup.ts';

/** Returns the page at `/`. The address is the service's, with a slash at its end. */
export function landingPage(address: string, servesConsole: boolean): string {
  const consoleCard = servesConsole
    ? markup`<li><a href="./console">Console</a> The orders and the log in a browser, with your key.</li>\n`
    : markup``;
  return layOut({
    title: 'Store Orders',
    root: './',
    here: 'home',
    main: markup`<main class="text">
<h1>Store Orders</h1>
<p class="lead">The orders of a pet store, over HTTP and JSON: place, list, ship and cancel them. Every
change is an event in a log that is only ever appended to.</p>

<h2>The first request</h2>
<p>It needs an API key, which the operator of this service creates. With the key in <code>KEY</code>, this
places an order:</p>
<pre><code>curl ${address}v1/store/orders -H "Authorization: Bearer $KEY" \\
  -H 'Content-Type: application/json' -d '{"petId": 7, "quantity": 1}'</code></pre>
<p>and this lists all orders:</p>
<pre><code>curl ${address}v1/store/orders -H "Authorization: Bearer $KEY"</code></pre>

<h2>Further reading</h2>
<ul class="cards">
${consoleCard}<li><a href="./docs">Reference of version 1</a> Every operation, every error, and a form to try them
with your key.</li>
<li><a href="./docs/v2">Reference of version 2</a> A beta: filters, pages, and the status of an
order.</li>
<li><a href="./guides">Guides</a> By what you want to do: call the API, audit, operate, test, contribute.</li>
<li><a href="./changelog">API changelog</a> What has changed for clients, also as a
<a href="./changelog.atom">feed</a>.</li>
<li><a href="./readyz">Health</a> Whether the service takes requests now.</li>
<li><a href="./openapi/v1.json">OpenAPI 3.1, version 1</a> For generators and other programs.</li>
<li><a href="./openapi/v2.json">OpenAPI 3.1, version 2</a> The same of the beta.</li>
</ul>
</main>`,
  });
}
