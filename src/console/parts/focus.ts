/**
 * Keeps the focus of the keyboard in the page. A browser drops it when the focused element is removed, such as a
 * form that is done, or is disabled or hidden: readers who use the keyboard would begin at the top again (WCAG 2.2,
 * 2.4.3).
 */

/** The attributes by which an element, or one around it, is disabled or hidden. */
const ATTRIBUTES = ['class', 'disabled', 'hidden', 'inert', 'open', 'style'];

/** Focuses what is around a focused element that cannot hold the focus any more: a list that scrolls, or the heading. */
export function keepFocus(place: HTMLElement): void {
  /** The element that has the focus, behind it those around it; empty while none of the page has it. */
  let path: readonly HTMLElement[] = [];
  place.addEventListener('focusin', (event) => {
    path = event.composedPath() as HTMLElement[];
  });
  place.addEventListener('focusout', ({ target }) => {
    // Some browsers report the loss too: then the element cannot hold the focus afterwards.
    queueMicrotask(() => {
      const [last] = path;
      if (target === last && last !== undefined && canHold(last)) path = [];
    });
  });
  const restore = () => {
    const [last] = path;
    if (last === undefined || canHold(last)) return;
    // Chromium drops the focus of an element that is disabled only with the next frame.
    const isLost = [document.body, last].includes(document.activeElement as HTMLElement);
    if (!isLost) return;
    const around = path.find((each) => each.tabIndex >= 0 && canHold(each));
    (around ?? place.querySelector('h1'))?.focus({ preventScroll: true });
  };
  const seen = { childList: true, subtree: true, attributeFilter: ATTRIBUTES };
  new MutationObserver(restore).observe(place, seen);
}

function canHold(element: HTMLElement): boolean {
  const isOff = element.matches(':disabled, [inert] *');
  return element.isConnected && !isOff && element.checkVisibility();
}
