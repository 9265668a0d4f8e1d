/**
 * Runs in the pages of the guides: searches them in the browser. The index comes from the service when
 * the field is first used, and no word that is typed leaves the page.
 */
import type { Document, Element, Storage } from './dom.ts';
import { find, type Row } from './found.ts';

declare const document: Document;
declare const localStorage: Storage;

const form = document.querySelector('.search') as Element;
const field = document.querySelector('#search') as Element;
const list = document.querySelector('#found') as Element;
const count = document.querySelector('#count') as Element;
const root = form.dataset.root ?? './';

let loading: Promise<readonly Row[]> | undefined;

/** Loads the index once. After a failure the next call tries again. */
function load(): Promise<readonly Row[]> {
  loading ??= fetch(`${root}guides/search.json`)
    .then((answer) => {
      if (!answer.ok) throw new Error(answer.statusText);
      return answer.json() as Promise<readonly Row[]>;
    })
    .catch((error) => {
      loading = undefined;
      throw error;
    });
  return loading;
}

async function show(): Promise<void> {
  const query = field.value;
  const rows = await load().catch(() => undefined);
  // A newer text has been typed while the index was under way.
  if (query !== field.value) return;
  const words = query.trim();
  const found = rows === undefined || words === '' ? [] : find(rows, words);
  list.replaceChildren(...found.map(item));
  if (rows === undefined) count.textContent = 'The index cannot be loaded.';
  else if (words === '') count.textContent = '';
  else count.textContent = found.length === 0 ? 'Nothing was found.' : `Found: ${found.length}`;
}

function item({
  row: [page, heading, address],
  before,
  hit,
  after,
}: ReturnType<typeof find>[number]) {
  const link = document.createElement('a');
  link.href = `${root}${address}`;
  link.textContent = heading === page ? page : `${page} › ${heading}`;
  const mark = document.createElement('mark');
  mark.textContent = hit;
  const excerpt = document.createElement('p');
  excerpt.append(before, mark, after);
  const element = document.createElement('li');
  element.append(link, excerpt);
  return element;
}

field.addEventListener('focus', () => void load().catch(() => undefined));
field.addEventListener('input', () => void show());
form.addEventListener('submit', (event) => {
  event.preventDefault();
  list.querySelector('a')?.focus();
});
form.addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape') return;
  field.value = '';
  field.focus();
  void show();
});

/** Returns false if the reader has switched off the shortcuts of the console, which keeps the choice. */
function hasShortcuts(): boolean {
  try {
    return localStorage.getItem('store-orders-shortcuts') !== 'off';
  } catch {
    return true;
  }
}

document.addEventListener('keydown', (event) => {
  const isTyping = document.activeElement?.value !== undefined;
  if (event.key !== '/' || !hasShortcuts() || isTyping || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  field.focus();
});
form.hidden = false;
