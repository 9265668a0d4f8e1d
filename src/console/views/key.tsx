/** The prompt for a key, which stands in for every page until one is accepted, and the page of the key. */
import { useRef, useState } from 'preact/hooks';
import { Time } from '../parts/controls.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Loading, ProblemView } from '../parts/problems.tsx';
import { can, client, enter, farewell, forget, identify, type Scope } from '../parts/session.ts';
import { limitsText } from '../state/figures.ts';
import type { Problem } from '../state/problem.ts';

export function KeyPrompt() {
  const input = useRef<HTMLInputElement>(null);
  const [isForTab, setForTab] = useState(false);
  const [checks, setChecks] = useState(0);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const key = input.current?.value.trim() ?? '';
    if (key === '') return;
    setChecks((before) => before + 1);
    await enter(key, isForTab);
    setChecks((before) => before - 1);
    // The prompt stays if the key was refused: it is typed again from the start, unless another one is by now.
    if (input.current?.value.trim() !== key) return;
    input.current.value = '';
    input.current.focus();
  };
  return (
    <form class="prompt" onSubmit={submit} data-state="no_key">
      <p role="status" class="farewell">
        {checks > 0 ? 'Checking the key …' : farewell.value}
      </p>
      <label for="key">API key</label>
      <input ref={input} id="key" type="password" autocomplete="off" spellcheck={false} required />
      <label class="check">
        <input
          type="checkbox"
          checked={isForTab}
          onChange={(event) => setForTab(event.currentTarget.checked)}
        />
        Keep it for this tab, through a reload
      </label>
      <button type="submit">Use this key</button>
      <p class="quiet">
        The key stays in this page. It is forgotten when you leave, and after 30 minutes without
        activity. <code>orders:read</code> is enough for most pages.
      </p>
    </form>
  );
}

/** The reason why a key could not be checked. It is held until the service answers, or another one is used. */
export function KeyDoubt({ problem }: { readonly problem: Problem }) {
  return (
    <ProblemView problem={problem} onRetry={() => void identify()}>
      <p>The key is not checked yet. It is held in this page meanwhile.</p>
      <button type="button" onClick={() => forget('')}>
        Use another key
      </button>
    </ProblemView>
  );
}

/** Every scope that a page can use, and what for. */
const USES: readonly (readonly [scope: Scope, use: string])[] = [
  ['orders:read', 'orders, the overview'],
  ['orders:write', 'nothing in the console: it places and ships no orders'],
  ['orders:cancel', 'cancel an order'],
  ['audit:read', 'the log, who did it, stored bytes, receipts, the checkpoint'],
  ['metrics:read', 'nothing in the console: GET /metrics'],
];

export function WhoAmI() {
  const { value: key, problem, reload } = useLoaded('key', (signal) => client.whoAmI({ signal }));
  if (problem !== undefined) return <ProblemView problem={problem} onRetry={reload} />;
  if (key === undefined) return <Loading />;
  return (
    <>
      <dl class="facts">
        <dt>Name</dt>
        <dd>
          <bdi>{key.name}</bdi>
        </dd>
        <dt>Id</dt>
        <dd>
          <code>{key.id}</code>
        </dd>
        <dt>Created</dt>
        <dd>
          <Time at={key.createdAt} />
        </dd>
        <dt>Expires</dt>
        <dd>{key.expiresAt === undefined ? 'never' : <Time at={key.expiresAt} />}</dd>
        <dt>Limits</dt>
        <dd>{limitsText(key.limits)}</dd>
      </dl>
      <h2>Scopes</h2>
      <ul class="scopes">
        {USES.map(([scope, use]) => (
          <li key={scope}>
            <b>{can(scope) ? 'has' : 'has not'}</b> <code>{scope}</code>: {use}
          </li>
        ))}
      </ul>
    </>
  );
}
