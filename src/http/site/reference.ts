import type { DescribedVersion } from '../description/description.ts';
import { layOut } from './layout.ts';
import { markup } from './markup.ts';

/** Returns the reference page of a version: a frame, which Swagger UI fills in the browser. */
export function referencePage({ name }: DescribedVersion): string {
  // Version 1 is at /docs, version 2 one level below it.
  const root = name === 'v1' ? './' : '../';
  const description = `${root}openapi/${name}.json`;
  return layOut({
    title: `Store Orders ${name}: reference`,
    root,
    here: name,
    head: markup`<link rel="alternate" href="${description}" type="application/json" title="OpenAPI ${name}">
<link rel="stylesheet" href="${root}docs/swagger-ui.css">
<script src="${root}docs/swagger-ui-bundle.js" defer></script>
<script src="${root}docs/reference.js" type="module"></script>`,
    main: markup`<main id="reference" data-description="${description}">
<noscript><p class="notice">The reference needs JavaScript. The <a href="${description}">description</a>
itself, in OpenAPI 3.1, does not.</p></noscript>
</main>`,
  });
}
