/** Renders the Markdown of the documentation as HTML: the one home of marked. */
import { hash } from 'node:crypto';
import { Marked, Renderer, type Token, type Tokens } from 'marked';
import { Markup, markup } from './markup.ts';

/** Returns the address that a link leads to, or `undefined` where its target is not served. */
export type Links = (href: string) => string | undefined;

/** A page of the documentation, rendered. */
export interface Rendered {
  readonly title: string;
  readonly body: Markup;
  /** Its sections, in order; the first one begins with the title. */
  readonly sections: readonly Section[];
}

/** A heading, and the text up to the next one. */
interface Section {
  readonly heading: string;
  readonly depth: number;
  /** The fragment that names its place in the page. */
  readonly anchor: string;
  /** The text without marks, for a search. */
  readonly text: string;
}

/** Parses Markdown into the tokens that {@link renderTokens} takes. */
export function tokensOf(text: string): readonly Token[] {
  return new Marked().lexer(text);
}

/** Renders some tokens. Links without an address become their text. */
export function renderTokens(tokens: readonly Token[], links: Links): Markup {
  return new Markup(new Marked({ renderer: rendererWith(links) }).parser([...tokens]));
}

/** Renders a line of Markdown without a paragraph around it. */
export function renderInline(text: string, links: Links): Markup {
  return new Markup(
    new Marked({ renderer: rendererWith(links) }).parseInline(text, { async: false }),
  );
}

export function renderPage(text: string, links: Links): Rendered {
  const tokens = tokensOf(text);
  const sections = sectionsOf(tokens);
  return { title: sections[0]?.heading ?? '', body: renderTokens(tokens, links), sections };
}

/** Returns the name of the drawing of a diagram, which depends on the diagram's text alone. */
export function drawingOf(diagram: string): string {
  return `diagrams/${hash('sha256', diagram.trim()).slice(0, 16)}.svg`;
}

function rendererWith(links: Links) {
  const anchors = new Anchors();
  let section = '';
  const plain = new Renderer();
  return {
    link({ href, tokens }: Tokens.Link): string {
      const content = new Markup(this.parser.parseInline(tokens));
      const address = /^https?:/.test(href) ? href : links(href);
      return address === undefined
        ? content.text
        : markup`<a href="${address}">${content}</a>`.text;
    },
    image: ({ href, text }: Tokens.Image) =>
      markup`<img src="${links(href) ?? ''}" alt="${text}" loading="lazy">`.text,
    heading({ tokens, text, depth }: Tokens.Heading): string {
      const content = new Markup(this.parser.parseInline(tokens));
      const anchor = anchors.next(text);
      section = wordsOf(text);
      const level = new Markup(`h${depth}`);
      if (depth === 1) return markup`<h1 id="${anchor}">${content}</h1>\n`.text;
      return markup`<${level} id="${anchor}"><a href="#${anchor}">${content}</a></${level}>\n`.text;
    },
    code({ text, lang }: Tokens.Code): string {
      if (lang === 'mermaid') return diagram(text, section, links).text;
      return markup`<pre><code>${text}</code></pre>\n`.text;
    },
    table(token: Tokens.Table): string {
      return `<div class="scroll">${plain.table.call(this as unknown as Renderer, token)}</div>\n`;
    },
    // The text is ours, and has no HTML. If that changes, its source is shown.
    html: ({ text }: Tokens.HTML | Tokens.Tag) => markup`${text}`.text,
  } as ThisType<Renderer> & Partial<Renderer>;
}

function diagram(text: string, section: string, links: Links): Markup {
  const drawing = links(drawingOf(text)) ?? '';
  return markup`<figure class="diagram"><a href="${drawing}"><img src="${drawing}" alt="Diagram: ${section}"></a>
<details><summary>The diagram as text</summary>
<pre><code>${text}</code></pre></details></figure>\n`;
}

/** The anchors of a page's headings, as GitHub makes them. */
class Anchors {
  readonly #taken = new Map<string, number>();

  next(heading: string): string {
    const anchor = heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-');
    const before = this.#taken.get(anchor) ?? 0;
    this.#taken.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  }
}

function sectionsOf(tokens: readonly Token[]): readonly Section[] {
  const anchors = new Anchors();
  const sections: (Omit<Section, 'text'> & { text: string })[] = [];
  for (const token of tokens) {
    const last = sections.at(-1);
    if (token.type === 'heading') {
      const { text, depth } = token as Tokens.Heading;
      sections.push({ heading: wordsOf(text), depth, anchor: anchors.next(text), text: '' });
    } else if (last !== undefined) {
      last.text = `${last.text} ${wordsOf(token.raw)}`.trim();
    }
  }
  return sections;
}

/** Returns Markdown without its marks and the targets of its links. */
function wordsOf(text: string): string {
  return text
    .replaceAll(/\]\([^)\s]*\)/g, '')
    .replaceAll(/```\w*|[`*[|]|\|?-{3,}/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
