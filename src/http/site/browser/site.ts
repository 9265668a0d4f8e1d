/** Runs in every page of the site: the switch between light and dark, and buttons that copy code. */
import type { Document, Element, Selection, Storage } from './dom.ts';

declare const document: Document;
declare const localStorage: Storage;
declare const navigator: {
  readonly clipboard?: { writeText(text: string): Promise<void> };
};
declare function getSelection(): Selection;
declare function matchMedia(query: string): { readonly matches: boolean };
declare const ResizeObserver: new (listener: () => void) => { observe(element: Element): void };

/** The time for which a button says that it has copied, in milliseconds. */
const COPIED_MS = 1_500;

const root = document.documentElement;

/** Shows the switch. The choice is kept in this browser; theme.js applies it to each page. */
function offerDark(button: Element): void {
  const isDark = () =>
    (root.dataset.theme ?? '') === 'dark' ||
    (root.dataset.theme === undefined && matchMedia('(prefers-color-scheme: dark)').matches);
  const show = () => button.setAttribute('aria-pressed', String(isDark()));
  button.addEventListener('click', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    try {
      localStorage.setItem('store-orders-theme', root.dataset.theme);
    } catch {
      // Without storage, the choice ends with the page.
    }
    show();
  });
  show();
  button.hidden = false;
}

/** Puts a button that copies its text beside a block of code. */
function offerCopy(block: Element): void {
  const frame = document.createElement('div');
  frame.className = 'code';
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await copy(block);
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, COPIED_MS);
  });
  block.before(frame);
  frame.append(block, button);
}

async function copy(block: Element): Promise<void> {
  const text = (block.textContent ?? '').replace(/\n$/, '');
  // Browsers have a clipboard for pages over https and of this machine only.
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const selection = getSelection();
  selection.selectAllChildren(block);
  document.execCommand('copy');
  selection.removeAllRanges();
}

/** Lets the keyboard scroll what is wider than its place, and passes over what is not. */
function scrollByKeyboard(element: Element): void {
  const follow = () => {
    if (element.scrollWidth > element.clientWidth) element.tabIndex = 0;
    else element.removeAttribute('tabindex');
  };
  new ResizeObserver(follow).observe(element);
}

const button = document.querySelector('#theme');
if (button !== null) offerDark(button);
for (const block of document.querySelectorAll('main pre')) offerCopy(block);
for (const wide of document.querySelectorAll('main pre, .scroll')) scrollByKeyboard(wide);
