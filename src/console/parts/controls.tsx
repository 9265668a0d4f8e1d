/** Small parts that several pages share. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Route } from '../state/routes.ts';
import { countText, relativeText, timeText, zoneName } from '../state/times.ts';
import { present, timeForm, zone } from './device.ts';
import { addressOf, moveTo } from './router.ts';

interface LinkProps {
  readonly to: Route;
  readonly children: ComponentChildren;
  readonly isHere?: boolean;
  readonly class?: string;
}

/** A link to a page of the console. */
export function Link({ to, children, isHere, class: name }: LinkProps) {
  const onClick = (event: MouseEvent) => {
    // The browser opens another tab or window by itself.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    moveTo(to);
  };
  return (
    <a
      href={addressOf(to)}
      onClick={onClick}
      class={name}
      aria-current={isHere ? 'page' : undefined}
    >
      {children}
    </a>
  );
}

/** A time in the form that the reader chose. Beside a relative one, its title has the exact one. */
export function Time({ at }: { readonly at: string }) {
  const exact = timeText(at, zone.value);
  const isRelative = timeForm.value === 'relative';
  const title = isRelative
    ? `${exact} ${zoneName(zone.value)}`
    : `${at}, shown in ${zoneName(zone.value)}`;
  return (
    <time dateTime={at} title={title}>
      {isRelative ? relativeText(at, present.value) : exact}
    </time>
  );
}

/** The state of an order, or the type of an event: a word, and a colour beside it. */
export function Badge({ of }: { readonly of: string }) {
  return <span class={`badge badge-${of}`}>{of}</span>;
}

interface ChipsProps<Value extends string> {
  readonly label: string;
  readonly values: readonly (readonly [value: Value | undefined, text: string])[];
  readonly chosen: Value | undefined;
  readonly onChoose: (value: Value | undefined) => void;
}

/** Buttons of which one is pressed. */
export function Chips<Value extends string>({
  label,
  values,
  chosen,
  onChoose,
}: ChipsProps<Value>) {
  return (
    <fieldset class="chips">
      <legend class="hidden">{label}</legend>
      {values.map(([value, text]) => (
        <button
          key={text}
          type="button"
          class="chip"
          aria-pressed={value === chosen}
          onClick={() => onChoose(value)}
        >
          {text}
        </button>
      ))}
    </fieldset>
  );
}

interface ButtonProps {
  readonly onClick: () => void;
  /** True while it has no effect. It keeps the focus then, which a disabled one would lose. */
  readonly isOff: boolean;
  readonly shortcut?: string;
  readonly children: ComponentChildren;
}

/** A button that may be switched off by its own action. */
export function Button({ onClick, isOff, shortcut, children }: ButtonProps) {
  const press = () => {
    if (!isOff) onClick();
  };
  return (
    <button type="button" aria-disabled={isOff} data-shortcut={shortcut} onClick={press}>
      {children}
    </button>
  );
}

interface CopyProps {
  readonly text: () => string | Promise<string>;
  readonly children: string;
}

/** The time for which a button says that its text was copied, in milliseconds. */
const COPIED_MS = 2_000;

export function Copy({ text, children }: CopyProps) {
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (said === '') return;
    const timer = setTimeout(() => setSaid(''), COPIED_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(await text());
      setSaid('Copied');
    } catch {
      setSaid('The browser does not allow it');
    }
  };
  return (
    <button type="button" onClick={copy}>
      <span aria-live="polite">{said || children}</span>
    </button>
  );
}

interface DownloadProps {
  /** Rejects with an error that is shown. */
  readonly file: () => Promise<Blob>;
  readonly name: string;
  readonly children: string;
}

/** A button that saves a file, or says why it cannot. */
export function Download({ file, name, children }: DownloadProps) {
  const [said, setSaid] = useState('');
  const download = async () => {
    setSaid('Downloading …');
    try {
      const blob = await file();
      save(blob, name);
      setSaid(`Downloaded: ${countText(blob.size)} bytes`);
    } catch (error) {
      setSaid(`Not downloaded: ${(error as Error).message}`);
    }
  };
  return (
    <>
      <button type="button" onClick={download}>
        {children}
      </button>
      <span class="quiet" role="status">
        {said}
      </span>
    </>
  );
}

/** Saves a file on the reader's device. */
export function save(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}
