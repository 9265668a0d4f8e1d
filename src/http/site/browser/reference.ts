/**
 * Runs in the reference: sends what is filled into a form, and shows the answer as it arrives. Bodies are
 * sent and shown as text, so that no integer is rounded.
 */
import type { Document, Element } from './dom.ts';
import { layOutJson } from './exact-json.ts';

declare const document: Document;
declare const location: { readonly href: string };
declare function addEventListener(type: 'pagehide', listener: () => void): void;

/** The longest part of an answer that is shown, in characters: browsers take seconds for more. */
const MAX_SHOWN_LENGTH = 200_000;

/** The likeliest reason why a browser gets no answer that it may show. */
const OTHER_ORIGIN = 'A server of another origin has to allow this page (CORS_ORIGINS).';

const settings = document.querySelector('#settings') as Element;
const server = document.querySelector('#server') as Element;
const key = document.querySelector('#key') as Element;

function enable(form: Element): void {
  const part = (selector: string) => form.querySelector(selector) as Element;
  const stop = part('.stop');
  let sending: AbortController | undefined;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    sending?.abort();
    const current = new AbortController();
    sending = current;
    stop.hidden = false;
    part('.result').hidden = false;
    void send(form, current.signal).finally(() => {
      if (sending === current) stop.hidden = true;
    });
  });
  stop.addEventListener('click', () => sending?.abort());
  form.hidden = false;
}

/** Sends the request of a form, and shows each part of the answer when it is there. */
async function send(form: Element, signal: AbortSignal): Promise<void> {
  const part = (selector: string) => form.querySelector(selector) as Element;
  const [status, headers, body] = [part('[role=status]'), part('.headers'), part('.body')];
  status.textContent = 'Sending …';
  headers.textContent = '';
  body.textContent = '';
  const begun = performance.now();
  let failed = 'Not sent';
  try {
    const request = requestOf(form, signal);
    failed = 'No answer';
    const answer = await fetch(...request);
    const ms = Math.round(performance.now() - begun);
    status.textContent = `${answer.status} ${answer.statusText} after ${ms} ms`;
    failed = `${status.textContent}; cut off`;
    headers.textContent = [...answer.headers]
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n');
    await showBody(answer, body);
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
    const hint = failed === 'No answer' ? ` ${OTHER_ORIGIN}` : '';
    status.textContent = signal.aborted
      ? `${status.textContent}; stopped`
      : `${failed}: ${reason}.${hint}`;
  }
}

function requestOf(form: Element, signal: AbortSignal): [URL, RequestInit] {
  const { method = '', path = '' } = form.dataset;
  const fields = [...form.querySelectorAll('[data-in]')].filter(({ value }) => value !== '');
  const valuesIn = (place: string) =>
    fields
      .filter(({ dataset }) => dataset.in === place)
      .map((field): [string, string] => [field.name, field.value]);
  const inPath = new Map(valuesIn('path'));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(inPath.get(name) ?? ''),
  );
  const url = new URL(`${server.value}${filled}`, location.href);
  for (const [name, value] of valuesIn('query')) url.searchParams.append(name, value);
  const headers = new Headers(valuesIn('header'));
  if (key.value !== '') headers.set('Authorization', `Bearer ${key.value.trim()}`);
  const body = form.querySelector('[name=body]')?.value;
  if (body !== undefined) headers.set('Content-Type', 'application/json');
  return [url, { method, headers, signal, cache: 'no-store', ...(body !== undefined && { body }) }];
}

/** Shows a body: JSON when it is complete, anything else, such as a stream of events, as it arrives. */
async function showBody(answer: Response, place: Element): Promise<void> {
  let text = '';
  let length = 0;
  const isJson = /\bjson\b/.test(answer.headers.get('Content-Type') ?? '');
  for await (const part of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    length += part.length;
    // A stream has no end: what is not shown is not held either.
    if (isJson || text.length < MAX_SHOWN_LENGTH) text += part;
    if (!isJson) place.textContent = shortened(text, length);
  }
  if (!isJson) return;
  const laidOut = layOutJson(text);
  place.textContent = shortened(laidOut, laidOut.length);
}

/** @param length That of the whole, of which the text may be the beginning. */
function shortened(text: string, length: number): string {
  if (length <= MAX_SHOWN_LENGTH) return text;
  return `${text.slice(0, MAX_SHOWN_LENGTH)}\n… and ${length - MAX_SHOWN_LENGTH} characters more`;
}

settings.addEventListener('submit', (event) => event.preventDefault());
// A browser that goes back may show the page as it was left.
addEventListener('pagehide', () => {
  key.value = '';
});
for (const form of document.querySelectorAll('.try')) enable(form);
settings.hidden = false;
