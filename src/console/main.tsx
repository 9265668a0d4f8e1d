/** The console: starts it in its page. */
import { render } from 'preact';
import { keepFocus } from './parts/focus.ts';
import { resume, watchReader } from './parts/session.ts';
import { Frame } from './views/frame.tsx';

// The page names its icon relative to its own address, which changes with each page of the console.
const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
icon?.setAttribute('href', icon.href);
watchReader();
void resume();
const place = document.getElementById('console');
if (place !== null) {
  render(<Frame />, place);
  keepFocus(place);
}
