/** The filters of the list of orders that are typed. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { zone } from '../parts/device.ts';
import { isId } from '../state/ids.ts';
import type { Members, OrdersRoute } from '../state/routes.ts';
import { readMoment } from '../state/typed.ts';

interface FiltersProps {
  readonly to: OrdersRoute;
  readonly onChoose: (chosen: Partial<Members<OrdersRoute>>) => void;
}

const FIELDS = [
  ['asOf', 'As of', 'position or time'],
  ['petId', 'Pet', 'id'],
  ['fromId', 'From order', 'id'],
  ['toId', 'Below order', 'id'],
] as const;

export function OrderFilters({ to, onChoose }: FiltersProps) {
  const [fault, setFault] = useState('');
  const form = useRef<HTMLFormElement>(null);
  // The fields have the filters of each address, and keep the focus.
  useLayoutEffect(() => {
    form.current?.reset();
    setFault('');
  }, [to]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    const values = FIELDS.map(([name]) => [name, String(given.get(name) ?? '').trim()] as const);
    const wrong = values.find(([name, text]) => name !== 'asOf' && text !== '' && !isId(text));
    const typed = String(given.get('asOf') ?? '');
    const asOf = typed.trim() === '' ? '' : readMoment(typed, zone.value);
    if (wrong !== undefined) setFault('An id is a whole number of 64 bits.');
    else if (asOf === undefined)
      setFault('A moment is a position, or a date with or without a time.');
    else onChoose({ ...Object.fromEntries(values), asOf });
  };
  const isDescending = to.order === 'desc';
  return (
    <form ref={form} class="filters" onSubmit={submit}>
      {FIELDS.map(([name, label, hint]) => (
        <label key={name}>
          {label}{' '}
          <input
            name={name}
            defaultValue={to[name] ?? ''}
            placeholder={hint}
            autocomplete="off"
            spellcheck={false}
          />
        </label>
      ))}
      <button type="submit">Apply</button>
      <button
        type="button"
        aria-pressed={isDescending}
        onClick={() => onChoose({ order: isDescending ? undefined : 'desc' })}
      >
        Highest id first
      </button>
      <span role="alert">{fault}</span>
    </form>
  );
}
