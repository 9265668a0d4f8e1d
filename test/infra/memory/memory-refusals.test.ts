import { MemoryRefusals } from '../../../src/infra/memory/memory-refusals.ts';
import { refusalTrailContract } from '../../contract/refusal-trail.ts';

refusalTrailContract('memory', async (most) => new MemoryRefusals(most));
