/** The settings that bound what clients may hold of the service. */
import type { z } from 'zod';
import { numberTo } from './config-values.ts';

/** The bounds on what clients may hold. */
export interface Limits {
  /** The connections that may be open at once; one more is refused. */
  readonly maxConnections: number;
}

const MAX_CONNECTIONS = 4_000;

/** The schemas of their variables. */
export const limits = {
  MAX_CONNECTIONS: numberTo(999_999, 'must be a whole number from 1 to 999999', 1).default(
    MAX_CONNECTIONS,
  ),
};

/** Returns the bounds that variables set. */
export function limitsIn(data: z.output<z.ZodObject<typeof limits>>): Limits {
  return { maxConnections: data.MAX_CONNECTIONS };
}
