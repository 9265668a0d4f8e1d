/** Runs in every page of the site: the switch between light and dark, and buttons that copy code. */
import type { Document, Element, Selection, Storage } from './dom.ts';

declare const document: Document;
declare const localStorage: Storage;
declare const navigator: {
  readonly clipboard?: { writeText(text: string): Promise<void> };
};
declare function getSelection(): Selection;
declare function matchMedia(query: string): {
  readonly matches: boolean;
  addEventListener(type: 'change', listener: () => void): void;
};
declare function addEventListener(type: 'pageshow' | 'storage', listener: () => void): void;
declare const ResizeObserver: new (listener: () => void) => { observe(element: Element): void };

/** The time for which a button says that it has copied, in milliseconds. */
const COPIED_MS = 1_500;

const root = document.documentElement;

const THEME = 'store-orders-theme';

/** Shows the switch. The choice is kept in this browser; theme.js applies it to each page. */
function offerDark(button: Element): void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const isDark = () =>
    (root.dataset.theme ?? '') === 'dark' || (root.dataset.theme === undefined && system.matches);
  const show = () => button.setAttribute('aria-pressed', String(isDark()));
  button.addEventListener('click', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    try {
      localStorage.setItem(THEME, root.dataset.theme);
    } catch {
      // Without storage, the choice ends with the page.
    }
    show();
  });
  // The choice of another tab, or of a later page from which the reader has gone back.
  const follow = () => {
    try {
      const theme = localStorage.getItem(THEME);
      if (theme !== null) root.dataset.theme = theme;
    } catch {
      // Without storage, each page has its own.
    }
    show();
  };
  for (const type of ['pageshow', 'storage'] as const) addEventListener(type, follow);
  system.addEventListener('change', show);
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
    const isCopied = await copy(block).catch(() => false);
    button.textContent = isCopied ? 'Copied' : 'The browser does not allow it';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, COPIED_MS);
  });
  block.before(frame);
  frame.append(block, button);
}

/** Returns false, or rejects, if the browser does not allow it. */
async function copy(block: Element): Promise<boolean> {
  const text = (block.textContent ?? '').replace(/\n$/, '');
  // Browsers have a clipboard for pages over https and of this machine only.
  if (navigator.clipboard !== undefined) {
    await navigator.clipboard.writeText(text);
    return true;
  }
  const selection = getSelection();
  selection.selectAllChildren(block);
  const isCopied = document.execCommand('copy');
  selection.removeAllRanges();
  return isCopied;
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
