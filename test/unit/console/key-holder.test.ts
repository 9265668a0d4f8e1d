import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IDLE_MS_MAX, KeyHolder } from '../../../src/console/state/key-holder.ts';

function storage() {
  const entries = new Map<string, string>();
  return {
    entries,
    getItem: (name: string) => entries.get(name) ?? null,
    setItem: (name: string, value: string) => void entries.set(name, value),
    removeItem: (name: string) => void entries.delete(name),
  };
}

const STEPS = ['hold', 'hold for the tab', 'touch', 'drop', 'leave', 'restore', 'wait'] as const;

describe('A held key', () => {
  it('is in storage only if that was asked for, and never after it was dropped or idle', () => {
    const steps = fc.array(
      fc.tuple(fc.constantFrom(...STEPS), fc.integer({ min: 1, max: 2 * IDLE_MS_MAX })),
    );
    fc.assert(
      fc.property(steps, (history) => {
        const store = storage();
        let at = 0;
        const holder = new KeyHolder(store, () => at);
        let isAsked = false;
        for (const [step, waitMs] of history) {
          if (step === 'hold') holder.hold('secret', false);
          if (step === 'hold for the tab') holder.hold('secret', true);
          if (step === 'touch') holder.touch();
          if (step === 'drop') holder.drop();
          if (step === 'leave') holder.leave();
          if (step === 'restore') holder.restore();
          if (step === 'wait') at += waitMs;
          if (step.startsWith('hold')) isAsked = step === 'hold for the tab';
          if (step === 'drop') isAsked = false;
          if (!isAsked) expect([...store.entries]).toEqual([]);
          if (step === 'wait' && waitMs >= IDLE_MS_MAX) expect(holder.key).toBeUndefined();
          if (step === 'leave') expect(holder.key).toBeUndefined();
        }
      }),
    );
  });

  it('lasts as long as its reader is active', () => {
    let at = 0;
    const holder = new KeyHolder(storage(), () => at);
    holder.hold('secret', false);
    for (let round = 0; round < 5; round += 1) {
      at += IDLE_MS_MAX - 1;
      holder.touch();
    }
    expect(holder.key).toBe('secret');
    at += IDLE_MS_MAX;
    expect(holder.key).toBeUndefined();
    holder.touch();
    expect(holder.key).toBeUndefined();
  });

  it('survives a reload of the tab if that was asked for, but not 30 idle minutes', () => {
    const store = storage();
    let at = 0;
    new KeyHolder(store, () => at).hold('secret', true);
    expect(new KeyHolder(store, () => at).restore()).toBe('secret');
    at += IDLE_MS_MAX;
    expect(new KeyHolder(store, () => at).restore()).toBeUndefined();
    expect([...store.entries]).toEqual([]);
  });

  it('is held for 30 idle minutes after a reload where the clock was set back before', () => {
    const store = storage();
    let at = 10 * IDLE_MS_MAX;
    new KeyHolder(store, () => at).hold('secret', true);
    at = 0;
    const holder = new KeyHolder(store, () => at);
    expect(holder.restore()).toBe('secret');
    at += IDLE_MS_MAX;
    expect(new KeyHolder(store, () => at).restore()).toBeUndefined();
    expect(holder.key).toBeUndefined();
  });

  it.each(['no JSON', 'null', '{"key":1}'])('is not restored from %s', (text) => {
    const store = { ...storage(), getItem: () => text };
    expect(new KeyHolder(store, () => 0).restore()).toBeUndefined();
  });
});
