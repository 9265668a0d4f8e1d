/** The settings of the witnesses that cosign the log's checkpoints. */
import { z } from 'zod';
import { secondsFrom } from './config-values.ts';

/** The policy of witnesses, and the pace of submissions. */
export interface WitnessSettings {
  /** The file of the policy, in the format of C2SP tlog-policy. */
  readonly policyFile: string;
  /** The shortest time between two checkpoints that are submitted, in milliseconds. */
  readonly intervalMs: number;
}

/** The schemas of their variables. */
export const witnessing = {
  WITNESS_POLICY: z.string().optional(),
  // A cosignature dates a checkpoint to the minute, and costs a public witness little.
  WITNESS_INTERVAL: secondsFrom(1, 3_600).prefault('60'),
};

/** Returns the settings that variables set; `undefined` if the log has no witnesses. */
export function witnessingIn(
  data: z.output<z.ZodObject<typeof witnessing>>,
): WitnessSettings | undefined {
  const { WITNESS_POLICY: policyFile, WITNESS_INTERVAL: intervalMs } = data;
  return policyFile === undefined ? undefined : { policyFile, intervalMs };
}
