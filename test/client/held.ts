import type {
  Activity,
  ActivityQuery,
  BatchAnswer,
  CancelReason,
  Epochs,
  Key,
  ListQuery,
  NewOrder,
  Order,
  OrderEvent,
  OrderPage,
  OrderV1,
  ServerCode,
  Summary,
} from '../../src/client/client.ts';
import type { components as V1 } from './generated/v1.d.ts';
import type { components, operations } from './generated/v2.d.ts';

/**
 * Holds the types of the client and those that are generated from the descriptions together: it compiles
 * only if they are the same.
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
  order: Same<Order, Schemas['Order']>;
  orderV1: Same<OrderV1, Flat<ShownV1>>;
  page: Same<OrderPage, Schemas['OrderPage']>;
  newOrder: Same<keyof NewOrder, keyof Schemas['PlaceOrder']>;
  key: Same<Key, Schemas['Key']>;
  code: Same<ServerCode, Schemas['Error']['code']>;
  filters: Same<keyof ListQuery, Parameters<'listOrders'>>;
  event: Same<WithoutData<OrderEvent>, WithoutData<Schemas['CloudEvent']>>;
  eventType: Same<OrderEvent['type'], Schemas['CloudEvent']['type']>;
  epochs: Same<Epochs, Schemas['Epochs']>;
  summary: Same<Summary, Schemas['Summary']>;
  activity: Same<Activity, Schemas['Activity']>;
  activityQuery: Same<keyof ActivityQuery, Parameters<'getActivity'>>;
  batch: Same<BatchAnswer, Schemas['BatchResults']>;
  reason: Same<CancelReason, Schemas['CancelOrder']['reason']>;
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
  summary: true,
  activity: true,
  activityQuery: true,
  batch: true,
  reason: true,
};
