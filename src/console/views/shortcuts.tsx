/** The keyboard: one letter for each thing that has a button too, and the list of them. */
import { useEffect, useRef } from 'preact/hooks';
import { hasShortcuts, switchShortcuts } from '../parts/device.ts';
import { moveTo } from '../parts/router.ts';
import { type Route, titleOf } from '../state/routes.ts';

type Pages = readonly (readonly [letter: string, route: Route])[];

/** The longest time between `g` and the letter behind it, in milliseconds. */
const SECOND_LETTER_MS = 3_000;

/** Handles the keys of the whole console, wherever nothing is typed. */
export function useShortcuts(pages: Pages): void {
  useEffect(() => {
    let since = Number.NEGATIVE_INFINITY;
    const pressed = (event: KeyboardEvent) => {
      const { key, timeStamp, target } = event;
      if (key === 'k' && event.ctrlKey && !event.altKey) {
        document.getElementById('search')?.focus();
        event.preventDefault();
        return;
      }
      const isTyping = (target as Element).matches('input, select, textarea, dialog *');
      if (!hasShortcuts.value || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      const isSecond = timeStamp - since < SECOND_LETTER_MS;
      since = key === 'g' ? timeStamp : Number.NEGATIVE_INFINITY;
      const page = isSecond ? pages.find(([letter]) => letter === key)?.[1] : undefined;
      if (page !== undefined) moveTo(page);
      else if (key === '/') document.getElementById('search')?.focus();
      else if (key === '?') document.getElementById('help')?.click();
      else if (key === 'j') focusRow(1);
      else if (key === 'k') focusRow(-1);
      else if (key === '[' || key === ']') pressButton(key);
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, [pages]);
}

/** Focuses the link of another row of a table, which Enter then opens. */
function focusRow(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('.scroller tbody a')];
  const here = links.indexOf(document.activeElement as HTMLElement);
  // The header stands over the first rows.
  const head = document.querySelector('.scroller thead')?.getBoundingClientRect();
  const isInView = (link: HTMLElement) => link.getBoundingClientRect().top >= (head?.bottom ?? 0);
  links[here === -1 ? links.findIndex(isInView) : here + step]?.focus();
}

/** Presses the button that a page has for a shortcut, if it has one. */
function pressButton(key: string): void {
  document.querySelector<HTMLElement>(`[data-shortcut="${key}"]`)?.click();
}

/** The shortcuts beside those that open a page. */
const OTHERS: readonly (readonly [keys: readonly string[], use: string])[] = [
  [['/', 'Ctrl K'], 'Search'],
  [['j', 'k'], 'Next and previous row of a table; Enter opens it'],
  [['[', ']'], 'Previous and next order; in time travel, one event back and forth'],
  [['?'], 'This list'],
];

/** The dialog with all shortcuts. The button in the frame opens it. */
export function Shortcuts({ pages }: { readonly pages: Pages }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const button = document.getElementById('help');
    const open = () => dialog.current?.showModal();
    button?.addEventListener('click', open);
    return () => button?.removeEventListener('click', open);
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby="shortcuts">
      <h2 id="shortcuts">Keyboard shortcuts</h2>
      <dl>
        {pages.map(([letter, to]) => (
          <>
            <dt>
              <kbd>g</kbd> <kbd>{letter}</kbd>
            </dt>
            <dd>{titleOf(to)}</dd>
          </>
        ))}
        {OTHERS.map(([keys, use]) => (
          <>
            <dt>
              {keys.map((key) => (
                <>
                  <kbd>{key}</kbd>{' '}
                </>
              ))}
            </dt>
            <dd>{use}</dd>
          </>
        ))}
      </dl>
      <label>
        <input
          type="checkbox"
          checked={hasShortcuts.value}
          onChange={(event) => switchShortcuts(event.currentTarget.checked)}
        />{' '}
        Use them. Without them, Ctrl K is left.
      </label>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
