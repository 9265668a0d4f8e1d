import { MemoryRefusals } from '../../../src/infra/memory/refusals.ts';
import { refusalTrailContract } from '../refusal-trail.ts';

refusalTrailContract('memory', async (most) => new MemoryRefusals(most));
