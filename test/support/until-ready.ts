import { setTimeout } from 'node:timers/promises';
import type { Service } from './service.ts';

const PAUSE_MS = 50;

/** Waits until the readiness probe is answered with a status. Returns its text. */
export async function untilReady(service: Service, status: 200 | 503): Promise<string> {
  for (;;) {
    const answer = await service.ask('GET', '/readyz');
    if (answer.status === status) return answer.text;
    await setTimeout(PAUSE_MS);
  }
}
