/** The states that a search through worlds has to reach: without them it has tested little. */
export const STATES = [
  // Batches.
  'a second batch was sent behind the first',
  'a second batch fell with the first',
  'latecomers joined a batch',
  'a transaction was decided twice',
  'an append was overtaken',
  'an append was tried again by the engine',
  'an atomic group was refused',
  // Clients and their network.
  'a request was sent again',
  'a request arrived twice',
  'a kept outcome was given again',
  'a command of a client that had gone was dropped',
  'a command was refused because too many waited',
  'an outcome was unknown',
  'a revoked key was refused',
  // The database, its network and its disk.
  'a head lagged',
  'a list could not follow the log',
  'a request to the database was lost',
  'a reply of the database was lost',
  'the disk was full',
  'a flush failed',
  'a flush lied',
  'a write was torn',
  'a later write survived an earlier one',
  'a bit of the disk flipped',
  'a loss was noticed',
  'only kept outcomes were lost',
  // Processes and clocks.
  'an instance ended with a queue',
  'a command was refused because the clock was out of range',
  'a recorded time stood still while the clock was back',
] as const;

export type WorldState = (typeof STATES)[number];
