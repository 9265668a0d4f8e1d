import { layOutJson, shieldIntegers, unshieldIntegers } from './exact-json.ts';

/**
 * Runs in the browser: fills the reference page with Swagger UI, and changes what has to be other
 * than it is by default. Everything is loaded from the service itself.
 */

// What it uses of the browser and of Swagger UI; the rest of the project does without both.
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

/** Operations that the description says are not to be tried have no form, whatever is the default. */
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

/** Integers of 64 bits are shown and sent as they are, in examples, in forms and in answers. */
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
 * The description as Swagger UI is to read it. The ends of int64 are left out, because it would
 * round them, and `int64` says the same; and so is what says nothing of further properties, because
 * it would make some up for its examples.
 */
function toShow(description: string): string {
  const told = (key: string, value: unknown) => {
    const isEnd = (key === 'minimum' || key === 'maximum') && typeof value === 'string';
    const isEmpty = key === 'additionalProperties' && JSON.stringify(value) === '{}';
    return isEnd || isEmpty ? undefined : value;
  };
  return JSON.stringify(JSON.parse(shieldIntegers(description), told));
}

function withProperties(change: (properties: Properties) => Properties) {
  return (Original: Component, { React }: System) =>
    (properties: Properties) =>
      React.createElement(Original, { ...properties, ...change(properties) });
}

function unshielded(value: unknown): unknown {
  return typeof value === 'string' ? unshieldIntegers(value) : value;
}

/** Each operation says how stable it is; a deprecated one, until when it answers. */
const badges = {
  wrapComponents: {
    OperationSummaryPath:
      (Original: Component, { React, specSelectors }: System) =>
      (properties: Properties) => {
        const named = properties.operationProps as ImmutableMap;
        const place = ['paths', String(named.get('path')), String(named.get('method'))];
        const said = (what: string) => specSelectors.specJson().getIn([...place, what]);
        const stability = String(said('x-stability') ?? 'stable');
        const sunset = said('x-deprecated-sunset');
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
  // A key is forgotten with the page, and nobody else is asked whether the description is valid.
  persistAuthorization: false,
  validatorUrl: null,
});
