/** The console: starts it in its page. */
import { render } from 'preact';
import { resume, watchReader } from './parts/session.ts';
import { Frame } from './views/frame.tsx';

watchReader();
void resume();
const place = document.getElementById('console');
if (place !== null) render(<Frame />, place);
