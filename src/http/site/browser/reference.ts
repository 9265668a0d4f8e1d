/**
 * Runs in the browser: fills the reference page with Swagger UI, and changes its defaults where this API
 * needs that. Everything is loaded from the service itself.
 */
import { layOutJson, shieldIntegers, unshieldIntegers } from './exact-json.ts';

// The parts of the browser and of Swagger UI that it uses; no other file needs either.
declare const document: {
  readonly documentElement: { readonly classList: { toggle(name: string, on: boolean): void } };
  getElementById(id: string): { readonly dataset: Readonly<Record<string, string>> };
};
declare function matchMedia(query: string): {
  readonly matches: boolean;
  addEventListener(type: 'change', listener: () => void): void;
};
declare const SwaggerUIBundle: {
  (options: object): void;
  readonly presets: { readonly apis: unknown };
};

type Properties = Readonly<Record<string, unknown>>;
type Component = unknown;
interface ImmutableMap {
  get(name: string): unknown;
  getIn(path: readonly string[]): unknown;
}
interface System {
  readonly React: {
    createElement(what: Component, properties: object | null, ...children: unknown[]): unknown;
  };
  readonly specSelectors: { specJson(): ImmutableMap };
  getComponent(name: string, isContainer?: boolean): Component;
}

/** Leaves out the form of operations that the description marks as not to be tried. */
const hiddenTryIt = {
  statePlugins: {
    spec: {
      wrapSelectors: {
        allowTryItOutFor:
          (original: (...args: unknown[]) => boolean, { specSelectors }: System) =>
          (state: unknown, path: string, method: string) => {
            const hidden = ['paths', path, method, 'x-hideTryItPanel'];
            return specSelectors.specJson().getIn(hidden) !== true && original(state, path, method);
          },
      },
    },
  },
};

/** Shows and sends integers of 64 bits exactly, in examples, in forms and in answers. */
const exactIntegers = {
  statePlugins: {
    spec: {
      wrapActions: {
        updateSpec: (original: (text: string) => unknown) => (text: string) =>
          original(toShow(text)),
      },
    },
    oas3: {
      wrapActions: {
        setRequestBodyValue: (original: (change: Properties) => unknown) => (change: Properties) =>
          original({ ...change, value: unshielded(change.value) }),
      },
    },
  },
  wrapComponents: {
    HighlightCode: withProperties(({ children }) => ({ children: unshielded(children) })),
    RequestBodyEditor: withProperties(({ value, defaultValue }) => ({
      value: unshielded(value),
      defaultValue: unshielded(defaultValue),
    })),
    responseBody:
      (Original: Component, { React, getComponent }: System) =>
      (properties: Properties) => {
        const { content, contentType } = properties;
        if (typeof content !== 'string' || !/json/i.test(String(contentType))) {
          return React.createElement(Original, properties);
        }
        const code = {
          language: 'json',
          fileName: 'response.json',
          downloadable: true,
          canCopy: true,
        };
        return React.createElement(
          'div',
          null,
          React.createElement('h5', null, 'Response body'),
          React.createElement(getComponent('HighlightCode', true), code, layOutJson(content)),
        );
      },
  },
};

/**
 * Returns the description for Swagger UI: without the ends of int64, which it would round and which
 * `int64` implies, and without empty `additionalProperties`, from which it would make up examples.
 */
function toShow(description: string): string {
  const lean = (key: string, value: unknown) => {
    const isEnd = (key === 'minimum' || key === 'maximum') && typeof value === 'string';
    const isEmpty = key === 'additionalProperties' && JSON.stringify(value) === '{}';
    return isEnd || isEmpty ? undefined : value;
  };
  return JSON.stringify(JSON.parse(shieldIntegers(description), lean));
}

function withProperties(change: (properties: Properties) => Properties) {
  return (Original: Component, { React }: System) =>
    (properties: Properties) =>
      React.createElement(Original, { ...properties, ...change(properties) });
}

function unshielded(value: unknown): unknown {
  return typeof value === 'string' ? unshieldIntegers(value) : value;
}

/** Shows how stable each operation is, and until when a deprecated one answers. */
const badges = {
  wrapComponents: {
    OperationSummaryPath:
      (Original: Component, { React, specSelectors }: System) =>
      (properties: Properties) => {
        const named = properties.operationProps as ImmutableMap;
        const place = ['paths', String(named.get('path')), String(named.get('method'))];
        const read = (property: string) => specSelectors.specJson().getIn([...place, property]);
        const stability = String(read('x-stability') ?? 'stable');
        const sunset = read('x-deprecated-sunset');
        const [kind, text] = sunset
          ? ['deprecated', `deprecated, ends ${sunset}`]
          : [stability, stability];
        return React.createElement(
          'span',
          { className: 'named' },
          React.createElement(Original, properties),
          React.createElement('span', { className: `badge badge-${kind}` }, text),
        );
      },
  },
};

function followColorScheme(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', follow);
  follow();
}

followColorScheme();
const reference = document.getElementById('reference');
SwaggerUIBundle({
  domNode: reference,
  url: reference.dataset.description,
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [hiddenTryIt, exactIntegers, badges],
  deepLinking: true,
  displayOperationId: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: false,
  // A key is forgotten with the page, and the description is sent to no validator elsewhere.
  persistAuthorization: false,
  validatorUrl: null,
});
