/** The verifier as a file of its own: the page of proofs without a service. */
import { render } from 'preact';
import { ProofDesk } from './views/proof-desk.tsx';

const place = document.getElementById('verifier');
if (place !== null) render(<ProofDesk />, place);
