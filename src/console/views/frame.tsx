/** The frame of every page: navigation, search, the choice of a zone, and the page itself. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Link } from '../parts/controls.tsx';
import { chooseTimes, isOnline, timeForm, zone } from '../parts/device.ts';
import { Loading } from '../parts/problems.tsx';
import { moves, moveTo, route, unused } from '../parts/router.ts';
import { allowsChanges, can, doubt, epoch, forget, isResuming, who } from '../parts/session.ts';
import { type ProofRoute, type Route, titleOf } from '../state/routes.ts';
import { TIME_FORMS, zoneName } from '../state/times.ts';
import { readSearch } from '../state/typed.ts';
import { KeyDoubt, KeyPrompt, WhoAmI } from './key.tsx';
import { Log } from './log.tsx';
import { OrderPage } from './order.tsx';
import { Orders } from './orders.tsx';
import { Overview } from './overview.tsx';
import { Shortcuts, useShortcuts } from './shortcuts.tsx';
import { Travel } from './travel.tsx';

/** The pages of the navigation: each is one letter behind `g` away. */
const PAGES: readonly (readonly [letter: string, route: Route])[] = [
  ['v', { page: 'overview' }],
  ['o', { page: 'orders' }],
  ['l', { page: 'log' }],
  ['t', { page: 'travel' }],
  ['p', { page: 'proof' }],
  ['k', { page: 'key' }],
];

export function Frame() {
  const to = route.value;
  useShortcuts(PAGES);
  useEffect(() => {
    document.title = `${titleOf(to)} · Store Orders`;
  }, [to]);
  return (
    <>
      <a class="skip" href="#page">
        Skip to the page
      </a>
      <header class="frame">
        <Link to={{ page: 'overview' }} class="name">
          Store Orders
        </Link>
        <nav aria-label="Pages">
          {PAGES.map(([, each]) => (
            <Link key={each.page} to={each} isHere={each.page === to.page}>
              {titleOf(each)}
            </Link>
          ))}
        </nav>
        <SearchBox />
        <Choices />
      </header>
      {!isOnline.value && (
        <p class="band" role="status">
          This device is offline. The page goes on when it is online again.
        </p>
      )}
      {unused.value.length > 0 && (
        <p class="band" role="status">
          Parts of the address are not used: they are malformed, unknown or repeated:{' '}
          <bdi>{unused.value.join(', ')}</bdi>
        </p>
      )}
      <main id="page" tabIndex={-1}>
        <Page />
      </main>
      <Shortcuts pages={PAGES} />
    </>
  );
}

function Page() {
  const to = route.value;
  const move = moves.value;
  const heading = useRef<HTMLHeadingElement>(null);
  // A screen reader begins at the new page. At the first one the browser does so by itself. Not after the next
  // frame, as other effects: it would take the focus from what the reader has reached by then.
  useLayoutEffect(() => {
    if (move > 0) heading.current?.focus({ preventScroll: true });
  }, [move]);
  const isOpen = who.value !== undefined || to.page === 'proof';
  // Once the log was cut, nothing that was loaded before is shown. What is on the page of proofs came from the reader.
  const log = to.page === 'proof' ? '' : epoch.value;
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {titleOf(to)}
      </h1>
      {isOpen ? <Content to={to} key={log} /> : <WithoutKey />}
    </>
  );
}

/** Stands in for a page while there is no key that the service has accepted. */
function WithoutKey() {
  const problem = doubt.value;
  if (problem !== undefined) return <KeyDoubt problem={problem} />;
  return isResuming.value ? <p>Checking the key …</p> : <KeyPrompt />;
}

function Content({ to }: { readonly to: Route }) {
  switch (to.page) {
    case 'overview':
      return <Overview />;
    case 'key':
      return <WhoAmI />;
    case 'orders':
      return <Orders to={to} />;
    case 'order':
      return <OrderPage to={to} key={`${to.id} ${to.at}`} />;
    case 'log':
      return <Log to={to} />;
    case 'travel':
      return <Travel to={to} />;
    case 'proof':
      return <LaterProof to={to} />;
    case 'nowhere':
      return <Nowhere />;
  }
}

function Nowhere() {
  return (
    <div class="state" data-state="nowhere">
      <h2>There is no such page</h2>
      <p>The id of an order is a whole number of 64 bits.</p>
      <Link to={{ page: 'orders' }}>Show all orders</Link>
    </div>
  );
}

/** The page of proofs, whose script is loaded when the page is opened: most readers never need it. */
function LaterProof({ to }: { readonly to: ProofRoute }) {
  const [views, setViews] = useState<typeof import('./proof.tsx')>();
  const [isFailed, setFailed] = useState(false);
  useEffect(() => {
    import('./proof.tsx').then(setViews, () => setFailed(true));
  }, []);
  if (views !== undefined) return <views.Proof to={to} key={to.position} />;
  return isFailed ? <p role="alert">The page cannot be loaded. Reload it.</p> : <Loading />;
}

/** One box for an order's id, a position of the log, a moment, and the id of a request or command. */
function SearchBox() {
  const box = useRef<HTMLInputElement>(null);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const input = box.current;
    if (input === null) return;
    const found = readSearch(input.value, zone.value);
    const hint =
      'Type the id of an order, # and a position such as #42, a date or a time, or the id of a request.';
    input.setCustomValidity(found === undefined ? hint : '');
    if (found === undefined) {
      input.reportValidity();
      return;
    }
    input.value = '';
    moveTo(found);
  };
  return (
    <form class="search" onSubmit={submit} noValidate>
      <input
        ref={box}
        id="search"
        type="search"
        aria-label="Order id, # and a position, a moment, or the id of a request"
        placeholder="Order, #position, time, request"
        autocomplete="off"
        spellcheck={false}
        onInput={() => box.current?.setCustomValidity('')}
      />
      <button type="submit">Find</button>
    </form>
  );
}

function Choices() {
  const key = who.value;
  const isRelative = timeForm.value === 'relative';
  return (
    <div class="choices">
      <select
        name="times"
        aria-label="Times"
        value={timeForm.value}
        onChange={(event) => chooseTimes(event.currentTarget.value)}
      >
        {TIME_FORMS.map(([form, name]) => (
          <option key={form} value={form}>
            {name}
          </option>
        ))}
      </select>
      <span class="quiet zone">
        {isRelative ? 'Times from now' : `Times in ${zoneName(zone.value)}`}
      </span>
      {key !== undefined && (
        <>
          {can('orders:cancel') && (
            <button
              type="button"
              aria-pressed={allowsChanges.value}
              onClick={() => {
                allowsChanges.value = !allowsChanges.value;
              }}
            >
              Allow changes
            </button>
          )}
          <button type="button" onClick={() => forget('The key is forgotten.')}>
            Forget key
          </button>
        </>
      )}
      <button type="button" id="help" aria-haspopup="dialog">
        ?<span class="hidden"> Keyboard shortcuts</span>
      </button>
    </div>
  );
}
