/** The page that verifies proofs, with the offers of the service beside it. It needs no API key. */
import { useMemo } from 'preact/hooks';
import { useLoaded } from '../parts/loading.ts';
import { NeedsScope } from '../parts/needs-scope.tsx';
import { Loading, ProblemView } from '../parts/problems.tsx';
import { SERVICE } from '../parts/router.ts';
import { can, client, openClient, placeOf, who } from '../parts/session.ts';
import { breaksIn, consistencyIn, type Material } from '../state/material.ts';
import { publicKeyOf } from '../state/open-answers.ts';
import type { ProofRoute } from '../state/routes.ts';
import { ProofDesk } from './proof-desk.tsx';

/** SHA-256 of the file that is offered, in hexadecimal digits: `tools/vendor.ts` puts it in. */
declare const VERIFIER_SHA256: string;

export function Proof({ to: { position } }: { readonly to: ProofRoute }) {
  const isAuditor = can('audit:read');
  const inputs = position !== undefined && isAuditor ? `receipt ${position}` : undefined;
  const { value, problem, reload } = useLoaded(inputs, async (signal) => {
    const asked = `${position}`;
    const receipt = client.receipt({ position: placeOf(asked) }, { signal });
    return await receipt.text();
  });
  const receipt = useMemo(
    () => (value === undefined ? undefined : ({ kind: 'receipt', text: value } as const)),
    [value],
  );
  const isLoading = inputs !== undefined && value === undefined && problem === undefined;
  return (
    <>
      {problem !== undefined && <ProblemView problem={problem} onRetry={reload} />}
      {position !== undefined && !isAuditor && <NoReceipt position={position} />}
      {isLoading && <Loading />}
      <ProofDesk
        loaded={receipt}
        fetchKey={() => publicKeyOf(openClient)}
        fetchMissing={isAuditor ? fetchMissing : undefined}
      />
      <Download />
    </>
  );
}

function NoReceipt({ position }: { readonly position: string }) {
  const receipt = `receipt of position ${position}`;
  if (who.value !== undefined) return <NeedsScope scope="audit:read" what={`the ${receipt}`} />;
  return (
    <p class="state" data-state="no_key">
      The {receipt} is loaded with an API key that has <code>audit:read</code>: type one on another
      page. A receipt that you have needs none.
    </p>
  );
}

/** Returns the proof between two sizes, and the statements of all breaks. */
async function fetchMissing(from: number, to: number): Promise<readonly Material[]> {
  const paths = [`/v2/store/proofs/consistency?from=${from}&to=${to}`, '/v2/store/epochs'];
  const answers = await Promise.all(paths.map((path) => client.request({ method: 'GET', path })));
  const [proof = '', breaks = ''] = answers.map(({ text }) => text);
  return [consistencyIn(proof, from, to), breaksIn(breaks)];
}

function Download() {
  return (
    <section class="offline" aria-label="Without this service">
      <h2>Without this service</h2>
      <p>
        <a href={new URL('console/store-orders-verifier.html', SERVICE).href} download>
          store-orders-verifier.html
        </a>{' '}
        does all of this in one file, from your disk and without a network. Its SHA-256 is{' '}
        <code class="sha256">{VERIFIER_SHA256}</code>. Compare it with the one in the documentation
        of your copy of the project.
      </p>
    </section>
  );
}
