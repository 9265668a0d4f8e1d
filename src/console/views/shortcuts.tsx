/** The keyboard: one letter for each thing that has a button too, and the list of them. */
import { useEffect, useRef } from 'preact/hooks';
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
      const isTyping = (target as Element).matches('input, select, textarea, dialog *');
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      const isSecond = timeStamp - since < SECOND_LETTER_MS;
      since = key === 'g' ? timeStamp : Number.NEGATIVE_INFINITY;
      const page = isSecond ? pages.find(([letter]) => letter === key)?.[1] : undefined;
      if (page !== undefined) moveTo(page);
      else if (key === '/') document.getElementById('search')?.focus();
      else if (key === '?') document.getElementById('help')?.click();
      else return;
      event.preventDefault();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, [pages]);
}

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
        <dt>
          <kbd>/</kbd>
        </dt>
        <dd>Search</dd>
        {pages.map(([letter, to]) => (
          <>
            <dt>
              <kbd>g</kbd> <kbd>{letter}</kbd>
            </dt>
            <dd>{titleOf(to)}</dd>
          </>
        ))}
        <dt>
          <kbd>?</kbd>
        </dt>
        <dd>This list</dd>
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}
