import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

// Its types are those of browsers, which tests have not.
const { keepFocus } = await vi.importActual<{ keepFocus: (place: object) => void }>(
  '../../../src/console/parts/focus.ts',
);

/** An element, as far as the focus depends on it. */
class Place {
  isConnected = true;
  isDisabled = false;
  isVisible = true;
  readonly tabIndex: number;

  constructor(tabIndex = 0) {
    this.tabIndex = tabIndex;
  }

  matches = () => this.isDisabled;
  checkVisibility = () => this.isVisible;
  focus = vi.fn();
}

describe('The focus of an element', () => {
  const heard = new Map<string, (event: object) => void>();
  const heading = new Place(-1);
  const body = new Place(-1);
  const page = {
    addEventListener: (type: string, hear: (event: object) => void) => heard.set(type, hear),
    querySelector: () => heading,
  };
  let mutated = () => {};
  let seen: { readonly attributeFilter?: readonly string[] } = {};

  beforeEach(() => {
    class Observer {
      constructor(report: () => void) {
        mutated = report;
      }
      observe = (_: unknown, init: typeof seen) => {
        seen = init;
      };
    }
    vi.stubGlobal('MutationObserver', Observer);
    vi.stubGlobal('document', { body, activeElement: body });
    keepFocus(page);
    vi.clearAllMocks();
  });
  afterEach(() => vi.unstubAllGlobals());

  const focused = (button: Place, ...around: readonly Place[]) => {
    vi.stubGlobal('document', { body, activeElement: button });
    heard.get('focusin')?.({ composedPath: () => [button, ...around] });
  };
  const dropped = () => {
    vi.stubGlobal('document', { body, activeElement: body });
    mutated();
  };

  it.each([
    ['removed', { isConnected: false }],
    ['disabled', { isDisabled: true }],
    ['hidden', { isVisible: false }],
  ])('that is %s passes to what is around it, or to the heading', (_, loss) => {
    const [button, group, list] = [new Place(), new Place(-1), new Place(0)];
    focused(button, group, list);
    Object.assign(button, loss);
    dropped();
    expect(list.focus).toHaveBeenCalledOnce();
    const other = Object.assign(new Place(), loss);
    focused(other, Object.assign(new Place(0), loss), group);
    dropped();
    expect(heading.focus).toHaveBeenCalledOnce();
    expect(seen.attributeFilter).toEqual(expect.arrayContaining(['disabled', 'hidden', 'open']));
  });

  it('that is disabled passes on before the browser drops it', () => {
    const button = new Place();
    focused(button);
    button.isDisabled = true;
    mutated();
    expect(heading.focus).toHaveBeenCalledOnce();
  });

  it('that can hold it, or has lost it to another, stays where it is', async () => {
    const button = new Place();
    focused(button);
    mutated();
    vi.stubGlobal('document', { body, activeElement: new Place() });
    button.isDisabled = true;
    mutated();
    button.isDisabled = false;
    heard.get('focusout')?.({ target: button });
    await Promise.resolve();
    button.isConnected = false;
    dropped();
    expect(heading.focus).not.toHaveBeenCalled();
  });
});
