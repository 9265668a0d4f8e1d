/** The outcome of a verification: each step in words, and what it does not show. */
import type { ComponentChildren } from 'preact';
import { isVerified, type Verified } from '../state/proof-steps.ts';

interface ResultProps {
  readonly title: string;
  readonly verified: Verified;
  readonly children?: ComponentChildren;
}

const MARKS = { ok: '✓ ok', failed: '✗ failed', 'not checked': '– not checked' } as const;

export function ProofResult({ title, verified, children }: ResultProps) {
  const { steps, facts, missing } = verified;
  const isFailed = steps.some(({ outcome }) => outcome === 'failed');
  const verdict = isFailed ? 'Refused' : isVerified(verified) ? 'Verified' : 'Not complete';
  return (
    <section class="proof" data-verdict={verdict} aria-label={title}>
      <h2>
        {title}: <span role="status">{verdict}</span>
      </h2>
      <ol class="steps">
        {steps.map(({ outcome, what, reason }) => (
          <li key={what} data-outcome={outcome}>
            <b>{MARKS[outcome]}</b> {what}
            {reason !== undefined && <p class="reason">Because {reason}.</p>}
          </li>
        ))}
      </ol>
      {missing !== undefined && <p>{MISSING[missing]}</p>}
      {facts !== undefined && (
        <dl class="facts">
          {facts.map(([term, text]) => (
            <>
              <dt>{term}</dt>
              <dd>
                <code>{text}</code>
              </dd>
            </>
          ))}
        </dl>
      )}
      {children}
    </section>
  );
}

const MISSING = {
  consistency:
    'Add the proof that leads from the older to the newer: store-orders audit prove --consistency SIZE prints it, SIZE being the number of events of the older one.',
  breaks:
    'The log was cut between the two. Add the statements of its breaks: GET /v2/store/epochs answers with them, and store-orders audit epochs prints them.',
} as const;

/** The limits of each kind of proof: see docs/receipts.md and docs/audit.md. */
const LIMITS = {
  receipt: [
    'That nothing else happened to the order, before or after. The receipt proves one event.',
    'The name or the owner of the API key. The record has its id.',
  ],
  checkpoints: [
    'What the events are. Two checkpoints show that nothing was rewritten between them.',
    'What was rewritten since the newer one.',
  ],
  export: [
    'What was recorded after the checkpoint in it, and what was never recorded, such as refused orders.',
    'The store that the service has now. Compare it with store-orders verify.',
  ],
  tiles: [
    'What was recorded after the checkpoint in the folder.',
    'The store that the service has now, and what it serves to others: a folder is a copy.',
    'The names of API keys. Records have their ids.',
  ],
} as const;

const LIMITS_OF_ALL = [
  'That the clock was right, or that the recorded facts are true.',
  'That the log shows the same to everybody, unless witnesses whom you trust have cosigned. Compare checkpoints with others.',
  'That the signing key was not stolen. Anything signed after a theft may be false.',
];

export function ProofLimits({ of }: { readonly of: readonly (keyof typeof LIMITS)[] }) {
  return (
    <section class="limits" aria-label="Limits">
      <h2>What this does not show</h2>
      <ul>
        {[...of.flatMap((kind) => LIMITS[kind]), ...LIMITS_OF_ALL].map((limit) => (
          <li key={limit}>{limit}</li>
        ))}
      </ul>
    </section>
  );
}
