/**
 * The script at `/docs/theme.js`. It runs before a page is shown, so that a reader who chose the dark
 * never sees the light first: it is no module, because the browser runs modules too late for that.
 */
export const THEME_SCRIPT = `try {
  const theme = localStorage.getItem('store-orders-theme');
  if (theme !== null) document.documentElement.dataset.theme = theme;
} catch {
  // The browser keeps nothing: the page follows the system.
}
`;
