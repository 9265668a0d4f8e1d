/** The field of the public key, which comes from the reader. */
import { useRef, useState } from 'preact/hooks';
import { keepPublicKey, keptPublicKey } from '../parts/public-key.ts';
import { keyProblem } from '../state/proof-steps.ts';

interface ProofKeyProps {
  readonly value: string;
  /** True for a key that is among the material. */
  readonly isAdded: boolean;
  readonly onChange: (key: string) => void;
  /** Gets the key from the service; absent where there is none. */
  readonly fetchKey?: (() => Promise<string>) | undefined;
}

export function ProofKey({ value, isAdded, onChange, fetchKey }: ProofKeyProps) {
  const [isKept, setKept] = useState(keptPublicKey() !== '');
  const [fetched, setFetched] = useState('');
  const [failure, setFailure] = useState('');
  const problem = value === '' ? undefined : keyProblem(value);
  const present = useRef({ value, isKept });
  present.current = { value, isKept };
  const change = (key: string) => {
    setFailure('');
    keepPublicKey(key, present.current.isKept);
    onChange(key);
  };
  const getKey = async () => {
    try {
      const key = (await fetchKey?.()) ?? '';
      setFetched(key);
      // A key that was typed since then is the reader's own choice.
      if (present.current.value === value) change(key);
    } catch (error) {
      setFailure(`Not loaded: ${(error as Error).message}`);
    }
  };
  return (
    <fieldset class="prompt public-key">
      <label for="public-key">Public key of the log</label>
      <input
        id="public-key"
        value={value}
        autocomplete="off"
        spellcheck={false}
        placeholder="NAME+ID+KEY"
        aria-describedby="public-key-problem"
        onInput={(event) => change(event.currentTarget.value.trim())}
      />
      <p id="public-key-problem" role="status" class="farewell">
        {failure || (problem === undefined ? '' : `This is no public key: ${problem}.`)}
      </p>
      <label class="check">
        <input
          type="checkbox"
          checked={isKept}
          onChange={({ currentTarget: { checked } }) => {
            setKept(checked);
            keepPublicKey(value, checked);
          }}
        />
        Remember it in this tab
      </label>
      {fetchKey !== undefined && (
        <button type="button" onClick={getKey}>
          Use this service’s key
        </button>
      )}
      {fetched !== '' && fetched === value && <OwnKey />}
      {isAdded && <AddedKey />}
    </fieldset>
  );
}

function OwnKey() {
  return (
    <p class="state" data-state="own_key">
      This key comes from the service that is to be checked. It shows that the proof is of this
      service, and nothing more: whoever controls the service can replace both. Compare it with a
      key that you got in another way.
    </p>
  );
}

function AddedKey() {
  return (
    <p class="state" data-state="added_key">
      This key is among what you added. If it came with the proof, whoever made the proof can have
      made both. Compare it with a key that you got in another way.
    </p>
  );
}
