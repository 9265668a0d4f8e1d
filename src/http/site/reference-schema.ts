/** Shows schemas of an OpenAPI document: their types in a line, and their properties in a table. */
import { renderInline } from './markdown.ts';
import { type Markup, markup } from './markup.ts';
import { jsonText, nameIn, type Schema } from './openapi.ts';

/** Longer patterns say less to people than the description beside them. */
const MAX_PATTERN_LENGTH = 60;

/** The ends of int64 and int32, which the format implies. */
const IMPLIED = new Set([-(2n ** 63n), 2n ** 63n - 1n, 2n ** 31n - 1n]);

/** Renders a text of the document that is one paragraph. Its links lead to other sites only. */
export function line(text = ''): Markup {
  return renderInline(text, () => undefined);
}

/** Returns a schema's type in a few words. A name leads to the table of its schema. */
export function typeOf(schema: Schema): Markup {
  const { $ref, type, format, items, anyOf, oneOf, allOf } = schema;
  if ($ref !== undefined) {
    const name = nameIn($ref);
    return markup`<a href="#schema-${name}">${name}</a>`;
  }
  if (schema.const !== undefined) return markup`<code>${jsonText(schema.const)}</code>`;
  if (schema.enum !== undefined) return codes(schema.enum.map(jsonText));
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) return joined(choices.map(typeOf), ' or ');
  const [first] = allOf ?? [];
  if (first !== undefined) return typeOf(first);
  if (items !== undefined) return markup`array of ${typeOf(items)}`;
  const named = [type ?? 'any'].flat().join(' or ');
  return format === undefined ? markup`${named}` : markup`${named} (${format})`;
}

/** Returns what a schema demands of a value beyond its type. */
function limitsOf(schema: Schema): Markup {
  const { minimum, maximum, minLength, maxLength, maxItems, pattern } = schema;
  const min = minimum === undefined || IMPLIED.has(minimum) ? undefined : minimum;
  const max = maximum === undefined || IMPLIED.has(maximum) ? undefined : maximum;
  const limits = [
    ...(min === undefined ? [] : [markup`at least ${String(min)}`]),
    ...(max === undefined ? [] : [markup`at most ${String(max)}`]),
    ...lengthOf(minLength, maxLength),
    ...(maxItems === undefined ? [] : [markup`at most ${String(maxItems)} items`]),
    ...(pattern === undefined || pattern === '^.*$' || pattern.length > MAX_PATTERN_LENGTH
      ? []
      : [markup`matches <code>${pattern}</code>`]),
    ...(schema.default === undefined
      ? []
      : [markup`<code>${jsonText(schema.default)}</code> if absent`]),
  ];
  return joined(limits, '; ');
}

function lengthOf(min: bigint | undefined, max: bigint | undefined): readonly Markup[] {
  if (max === undefined) return [];
  return [
    min === max ? markup`${String(max)} characters` : markup`at most ${String(max)} characters`,
  ];
}

/** A table of the properties of an object, those of objects within it included. */
export function propertiesOf(schema: Schema): Markup {
  const rows = rowsOf(schema, '');
  if (rows.length === 0) return markup`<p>${typeOf(schema)} ${limitsOf(schema)}</p>`;
  return markup`<div class="scroll"><table>
<thead><tr><th>property</th><th>type</th><th>meaning</th></tr></thead>
<tbody>
${rows}
</tbody></table></div>`;
}

function rowsOf(schema: Schema, prefix: string): readonly Markup[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const isOptional = !(schema.required ?? []).includes(name);
    const inner = property.items?.properties === undefined ? property : property.items;
    const path = `${prefix}${name}`;
    const own = markup`<tr><td><code>${path}</code>${isOptional ? markup` <small>optional</small>` : markup``}</td>
<td>${typeOf(property)}</td><td>${line(property.description)} ${remark(property)}</td></tr>`;
    return [own, ...rowsOf(inner, inner === property ? `${path}.` : `${path}[].`)];
  });
}

/** The limits of a value, as a remark behind its description. */
export function remark(schema: Schema): Markup {
  const limits = limitsOf(schema);
  return limits.text === '' ? limits : markup`<small>${limits}</small>`;
}

function codes(texts: readonly string[]): Markup {
  return joined(
    texts.map((text) => markup`<code>${text}</code>`),
    ' or ',
  );
}

export function joined(parts: readonly Markup[], separator: string): Markup {
  return parts.reduce(
    (all, part, index) => (index === 0 ? part : markup`${all}${separator}${part}`),
    markup``,
  );
}
