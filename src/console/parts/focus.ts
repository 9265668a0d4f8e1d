/**
 * Keeps the focus of the keyboard in the page. A browser drops it when the focused element is removed, such as a
 * form that is done: readers who use the keyboard would begin at the top again (WCAG 2.2, 2.4.3).
 */

/** Focuses what is around a focused element that is removed: a list that scrolls, or else the page's heading. */
export function keepFocus(place: HTMLElement): void {
  /** The element that has the focus, behind it those around it; empty while none of the page has it. */
  let path: readonly HTMLElement[] = [];
  place.addEventListener('focusin', (event) => {
    path = event.composedPath() as HTMLElement[];
  });
  place.addEventListener('focusout', ({ target }) => {
    // Some browsers report the removal too: then the element is no longer there afterwards.
    queueMicrotask(() => {
      if (target === path[0] && path[0]?.isConnected) path = [];
    });
  });
  const restore = () => {
    const isLost = path[0]?.isConnected === false && document.activeElement === document.body;
    if (!isLost) return;
    const around = path.find(({ isConnected, tabIndex }) => isConnected && tabIndex >= 0);
    (around ?? place.querySelector('h1'))?.focus({ preventScroll: true });
  };
  new MutationObserver(restore).observe(place, { childList: true, subtree: true });
}
