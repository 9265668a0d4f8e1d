import type {
  Epochs,
  Key,
  ListQuery,
  NewOrder,
  Order,
  OrderEvent,
  OrderPage,
  OrderV1,
  ServerCode,
} from '../../src/client/client.ts';
import type { components as V1 } from './generated/v1.d.ts';
import type { components, operations } from './generated/v2.d.ts';

/**
 * Holds the types of the client and those that are generated from the descriptions together: it compiles
 * only if they fit.
 */

/** A type without `readonly`, at any depth. */
type Plain<Its> = Its extends readonly (infer Item)[]
  ? Plain<Item>[]
  : Its extends object
    ? { -readonly [Name in keyof Its]: Plain<Its[Name]> }
    : Its;

/** `true` for the same type, and `never` for any other. */
type Same<One, Other> =
  (<Any>() => Any extends Plain<One> ? 1 : 2) extends <Any>() => Any extends Plain<Other> ? 1 : 2
    ? true
    : never;

/** `true` if the client's type has every value that the description allows. */
type Covers<Client, Described> = Plain<Described> extends Plain<Client> ? true : never;

type Schemas = components['schemas'];
type Parameters<Operation extends keyof operations> = keyof NonNullable<
  operations[Operation]['parameters']['query']
>;

/** The contract's version 1 marks no property as required, and has ids as numbers. */
type ShownV1 = Omit<Required<V1['schemas']['Order']>, 'id' | 'petId' | 'shipDate'> &
  Pick<V1['schemas']['Order'], 'shipDate'> & { id: string; petId: string };
type Flat<Its> = { [Name in keyof Its]: Its[Name] };

/** An event's data depends on its type, which the description does not say. */
type WithoutData<Event> = Omit<Event, 'data' | 'type'>;

export const SAME: {
  order: Covers<Order, Schemas['Order']>;
  orderV1: Same<OrderV1, Flat<ShownV1>>;
  page: Covers<OrderPage, Schemas['OrderPage']>;
  newOrder: Same<keyof NewOrder, keyof Schemas['PlaceOrder']>;
  key: Same<Key, Schemas['Key']>;
  code: Covers<ServerCode, Schemas['Error']['code']>;
  filters: Same<keyof ListQuery, Parameters<'listOrders'>>;
  event: Same<WithoutData<OrderEvent>, WithoutData<V1['schemas']['CloudEvent']>>;
  eventType: Same<OrderEvent['type'], V1['schemas']['CloudEvent']['type']>;
  epochs: Same<Epochs, V1['schemas']['Epochs']>;
} = {
  order: true,
  orderV1: true,
  page: true,
  newOrder: true,
  key: true,
  code: true,
  filters: true,
  event: true,
  eventType: true,
  epochs: true,
};
