import { globSync, readFileSync } from 'node:fs';
import { type ESTree, parseSync, Visitor } from 'rolldown/utils';
import { describe, expect, test } from 'vitest';
import { SOURCE_FILES, type Source, sourceOf } from './sources.ts';

/** The views of the console and their parts. */
const VIEWS = SOURCE_FILES.filter((file) => /^console\/.*\.tsx$/.test(file));

const STYLE = readFileSync('src/console/style.css', 'utf8');

/**
 * Expressions of which none has a text of others. They are numbers and ids, times and words of our own, and
 * sentences, in which `isolated` is around names.
 */
const OWN: readonly RegExp[] = [
  /^(?:count|time|duration)Text\(|^zoneName\(|^countOf\(|\.(?:length|asOf|position)$|\.toFixed\(1\)$/,
  /^(?:id|position|commandId|value\.root\.slice\(0, 8\)|who\.value\?\.scopes\.join\(', '\))$/,
  /^children\b|^row\(|^(?:again|label|receipt|use|what|reason|title|NAMES\[material\.kind\])$|\bmessage\b/,
];

/** Returns the expressions whose text stands beside other text in one element, but for those of our own. */
function unisolatedIn({ file, text }: Source): readonly string[] {
  const found: string[] = [];
  const words = ({ start, end }: ESTree.Node) => text.slice(start, end).replaceAll(/\s+/g, ' ');
  const look = ({ children }: ESTree.JSXElement | ESTree.JSXFragment) => {
    const shown = children.filter((child) => words(child).trim() !== '');
    if (shown.length === 1) return;
    const expressions = shown.flatMap((child) =>
      child.type === 'JSXExpressionContainer' ? textsOf(child.expression) : [],
    );
    found.push(...expressions.map(words).filter((each) => !OWN.some((own) => own.test(each))));
  };
  new Visitor({ JSXElement: look, JSXFragment: look }).visit(parseSync(file, text).program);
  return found;
}

/** Returns the parts of an expression that are shown as texts: elements are looked at on their own. */
function textsOf(of: ESTree.Node): readonly ESTree.Node[] {
  switch (of.type) {
    case 'ParenthesizedExpression':
      return textsOf(of.expression);
    case 'LogicalExpression':
      return [...(of.operator === '&&' ? [] : textsOf(of.left)), ...textsOf(of.right)];
    case 'ConditionalExpression':
      return [...textsOf(of.consequent), ...textsOf(of.alternate)];
    case 'CallExpression':
      return isMap(of) ? [] : [of];
    case 'ArrowFunctionExpression':
    case 'JSXElement':
    case 'JSXFragment':
    case 'JSXEmptyExpression':
    case 'Literal':
      return [];
    default:
      return [of];
  }
}

/** Returns true for a list of elements. */
function isMap({ callee, arguments: [made] }: ESTree.CallExpression): boolean {
  const name =
    callee.type === 'MemberExpression' && callee.property.type === 'Identifier'
      ? callee.property.name
      : '';
  return name === 'map' && made?.type === 'ArrowFunctionExpression';
}

/** Returns the names that stand bare in a sentence: in a template with a space. */
function bareNamesIn({ file, text }: Source): readonly string[] {
  const found: string[] = [];
  const look = ({ quasis, expressions }: ESTree.TemplateLiteral) => {
    if (!quasis.some(({ value }) => value.raw.includes(' '))) return;
    const words = expressions.map(({ start, end }) => text.slice(start, end));
    found.push(...words.filter((each) => /^(?:\w+\.)?(?:key)?name$/.test(each)));
  };
  new Visitor({ TemplateLiteral: look }).visit(parseSync(file, text).program);
  return found;
}

/** Elements that stand in lines of text. */
const INLINE = /<(a|abbr|b|cite|code|em|i|kbd|mark|q|s|small|span|strong|sub|sup|time|u)[ >]/g;

describe('A text of others reorders nothing beside it: the console has it in an element of its own', () => {
  test.each([
    ['<p>By {keyname}</p>', ['keyname']],
    ['<p>{keyname ?? by} <code>{by}</code></p>', ['keyname', 'by']],
    ['<>{isKnown ? name : <b>{name}</b>}, {age}</>', ['name', 'age']],
    ['<p>{nameOf(key)}<br /></p>', ['nameOf(key)']],
  ])('broken by %s', (text, found) => {
    expect(unisolatedIn({ file: 'planted.tsx', text })).toEqual(found);
  });

  test.each([
    '<p>By <bdi>{keyname}</bdi>: {countText(events)} events</p>',
    '<td>{keyname}</td>',
    '<ul>{label}{names.map((name) => <li>{name}</li>)}</ul>',
    "<p>{isKnown && <bdi>{name}</bdi>}{' '}</p>",
  ])('kept by %s', (text) => {
    expect(unisolatedIn({ file: 'planted.tsx', text })).toEqual([]);
  });

  test('a sentence with a bare name is found', () => {
    const planted = (text: string) => bareNamesIn({ file: 'planted.tsx', text });
    expect(planted('`Export $' + '{name}`; `$' + '{file.name} is none`')).toEqual([
      'name',
      'file.name',
    ]);
    expect(planted('`orders-$' + '{name}`; `Export $' + '{isolated(name)}`')).toEqual([]);
  });

  test.each(VIEWS)('kept by %s', (file) => {
    expect([...unisolatedIn(sourceOf(file)), ...bareNamesIn(sourceOf(file))]).toEqual([]);
  });

  test('of every element that stands in a line', () => {
    const [, selectors = ''] = /([^}/]*)\{[^}]*unicode-bidi: isolate;/.exec(STYLE) ?? [];
    const used = VIEWS.flatMap((file) => [...sourceOf(file).text.matchAll(INLINE)]);
    const isolated = selectors.trim().split(/,\s*/);
    expect(isolated).toEqual(expect.arrayContaining(used.map(([, name]) => name)));
  });
});

/** Selectors of what is pressed, current, off, new or dragged over: states that only a style sheet shows. */
const STATE = /\[aria-(?:pressed|current|selected|checked|disabled)[^\]]*\]|\.(?:new|over)\b/;

/** Returns the states that a style sheet shows, but by nothing that forced colours leave. */
function statesLostIn(style: string): readonly string[] {
  const forced = /@media \(forced-colors: active\) \{(?:[^{}]*\{[^{}]*\})*\s*\}/g;
  const statesIn = (text: string) =>
    [...text.matchAll(/([^{}]*)\{/g)]
      .flatMap(([, selectors = '']) => selectors.split(','))
      .filter((each) => !each.includes('@'))
      .flatMap((each) => STATE.exec(each)?.[0] ?? []);
  const kept = (style.match(forced) ?? []).flatMap((block) => statesIn(block));
  return statesIn(style.replaceAll(forced, '')).filter((state) => !kept.includes(state));
}

describe('Each state that a style sheet shows is seen in forced colours too', () => {
  const BLOCK =
    '@media (forced-colors: active) { button[aria-pressed="true"] { color: Highlight; } }';

  test.each([
    ['button[aria-pressed="true"] { color: red; }', 1],
    [`nav a[aria-current] { color: red; }\n${BLOCK}`, 1],
    [`button:hover,\nbutton[aria-pressed="true"] { color: red; }\n${BLOCK}`, 0],
    [`${BLOCK}\nbutton:hover { color: red; }`, 0],
  ])('%j loses %i', (style, count) => {
    expect(statesLostIn(style)).toHaveLength(count);
  });

  test.each(globSync('src/{console,http/site}/*.css'))('kept by %s', (file) => {
    expect(statesLostIn(readFileSync(file, 'utf8'))).toEqual([]);
  });
});

/** The form that cancels an order is enabled by a text in it, which has the focus meanwhile. */
const MAY_DISABLE = ['console/views/cancel-order.tsx'];

test('No button is disabled by its own action, which would lose the focus: see Button', () => {
  const disabling = VIEWS.filter((file) => /\sdisabled=/.test(sourceOf(file).text));
  expect(disabling).toEqual(MAY_DISABLE);
});
