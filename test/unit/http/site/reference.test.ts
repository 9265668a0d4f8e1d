import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { VERSION_1, VERSION_2 } from '../../../../src/http/description/versions.ts';
import { referencePage } from '../../../../src/http/site/reference.ts';

const VERSIONS = [VERSION_1, VERSION_2].map((version) => {
  const json = readFileSync(`docs/openapi-${version.name}.json`, 'utf8');
  return { name: version.name, json, page: referencePage(version, json) };
});

/** The text that stands for a value in a page. */
function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

describe.each(VERSIONS)('The reference of $name', ({ name, json, page }) => {
  const document = JSON.parse(json);
  const operations = Object.values<Record<string, Record<string, unknown>>>(document.paths).flatMap(
    (methods) => Object.values(methods),
  );

  it('shows each operation once, in the list and as a section', () => {
    expect(operations.length).toBeGreaterThan(4);
    for (const { operationId } of operations) {
      expect(page.split(`<section class="operation" id="${operationId}">`)).toHaveLength(2);
      expect(page).toContain(`<a href="#${operationId}"><b class="method">`);
    }
  });

  it('shows each parameter, schema and property', () => {
    for (const { parameters = [] } of operations as { parameters?: { name: string }[] }[]) {
      for (const { name } of parameters) expect(page).toContain(`<td><code>${name}</code></td>`);
    }
    for (const [name, { properties = {} }] of Object.entries<{ properties?: object }>(
      document.components.schemas,
    )) {
      const section = page.split(`<section id="schema-${name}">`)[1]?.split('</section>')[0];
      for (const property of Object.keys(properties)) {
        expect(section, name).toContain(`<td><code>${property}</code>`);
      }
    }
  });

  it('has no link to a place that it does not have', () => {
    const links = [...page.matchAll(/href="#([^"]+)"/g)];
    expect(links.length).toBeGreaterThan(50);
    for (const [, anchor] of links) expect(page).toContain(`id="${anchor}"`);
  });

  it('shows every code of an error', () => {
    for (const code of document.components.schemas.Error.properties.code.enum) {
      expect(page).toContain(`&quot;${code}&quot;`);
    }
  });

  it('sets the variables with which its commands have the addresses of its operations', () => {
    const [, base = '', key] = /^<pre><code>BASE=(\S+) KEY=(\S+)<\/code>/m.exec(page) ?? [];
    expect(key).toBe('sto_…');
    const urls = [...page.matchAll(/^<pre><code>curl .*&quot;\$BASE(\S+)&quot;/gm)].map(
      ([, path]) => {
        return new URL(`${base}${path}`).pathname;
      },
    );
    expect(urls).toHaveLength(operations.length);
    const paths = Object.keys(document.paths).map((path) => {
      return new RegExp(`^/${name}${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    });
    for (const url of urls)
      expect(
        paths.some((path) => path.test(url)),
        url,
      ).toBe(true);
  });

  it('shows no value as undefined or as an object', () => {
    expect(page).not.toMatch(/\bundefined\b|\[object /);
  });
});

test('Integers of 64 bits are exact in examples', () => {
  const [v1] = VERSIONS;
  expect(v1?.page).toContain(escaped('"id": 9007199254740993'));
});

test('What a description says is shown as text', () => {
  const [v1] = VERSIONS;
  const document = JSON.parse(v1?.json ?? '');
  document.paths['/store/orders'].get.summary = '<b onclick="evil()">';
  document.paths['/store/orders'].get.description = '<script>evil()</script> `<i>`';
  const page = referencePage(VERSION_1, JSON.stringify(document));
  expect(page).not.toMatch(/<script>evil|<b onclick|<i>/);
  expect(page).toContain(escaped('<script>evil()'));
});
