/** Text that may stand in a page as it is. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | Markup | readonly Markup[];

/** Makes HTML or XML. Each value put into it is escaped, unless it is markup itself. */
export function markup(pieces: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const texts = parts.map((part) => {
    if (typeof part === 'string') return escaped(part);
    return part instanceof Markup ? part.text : part.map(({ text }) => text).join('\n');
  });
  return new Markup(String.raw({ raw: pieces }, ...texts));
}

const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPED[character] as string);
}
