/** The parts of an OpenAPI document that the reference shows. */

export interface OpenApi {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, DescribedAnswer>>;
    readonly headers: Readonly<Record<string, DescribedHeader>>;
  };
}

interface DescribedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: boolean;
  readonly 'x-deprecated-sunset'?: string;
  readonly 'x-stability'?: string;
  readonly 'x-hideTryItPanel'?: boolean;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, DescribedAnswer | Reference>>;
}

export interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

export interface DescribedAnswer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Reference>>;
  readonly content?: Content;
  /** The operations that a client can go on with, by their ids. */
  readonly links?: Readonly<Record<string, unknown>>;
}

export type Content = Readonly<Record<string, MediaType>>;

export interface MediaType {
  readonly schema: Schema;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface DescribedHeader {
  readonly description: string;
  readonly schema: Schema;
}

interface Reference {
  readonly $ref: string;
}

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly minimum?: bigint;
  readonly maximum?: bigint;
  readonly minLength?: bigint;
  readonly maxLength?: bigint;
  readonly maxItems?: bigint;
  readonly pattern?: string;
}

/** An operation with its place in the document. */
export interface Placed {
  readonly path: string;
  readonly method: string;
  readonly operation: DescribedOperation;
}

/** Parses a document. Integers become bigints, so that none is rounded. */
export function parseOpenApi(json: string): OpenApi {
  return JSON.parse(json, (_key, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' && /^-?\d+$/.test(context?.source ?? '')
      ? BigInt(context?.source as string)
      : value,
  );
}

/** Returns a value of the document as JSON text on several lines, with exact integers. */
export function jsonText(value: unknown): string {
  const exact = (_key: string, each: unknown) =>
    typeof each === 'bigint' ? JSON.rawJSON(String(each)) : each;
  return JSON.stringify(value, exact, 2);
}

export function operationsOf({ paths }: OpenApi): readonly Placed[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}

/** Returns the last part of a reference, such as `Order` of `#/components/schemas/Order`. */
export function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}
