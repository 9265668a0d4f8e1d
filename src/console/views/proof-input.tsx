/** The ways into the page of proofs: files that are dropped or chosen, and pasted text. */
import { useRef, useState } from 'preact/hooks';
import { chosenFolder, droppedIn, type Given, textDroppedIn } from '../state/dropped.ts';
import { isolated } from '../state/isolated.ts';
import { isExport, MAX_TEXT_BYTES, type Material, readMaterial } from '../state/material.ts';
import { folderIn } from '../state/tile-folder.ts';

interface InputProps {
  readonly onMaterial: (material: Material) => void;
}

const UNKNOWN = 'is neither a receipt, a checkpoint, a proof, an export, a policy nor a public key';

const NO_TILES = 'is no folder of tiles: it must have one file named checkpoint';

async function materialOf(file: File): Promise<Material | undefined> {
  const isTrail = isExport(await file.slice(0, MAX_TEXT_BYTES).text());
  if (isTrail) return { kind: 'export', file, name: file.name };
  return file.size <= MAX_TEXT_BYTES ? readMaterial(await file.text()) : undefined;
}

/** Takes what is dropped, chosen or pasted at once, and has the reasons why some of it is no material. */
function useInput(onMaterial: InputProps['onMaterial']) {
  const [problems, setProblems] = useState<readonly string[]>([]);
  // Not all at the end: what is given later may be read earlier.
  const addProblem = (problem: string) => setProblems((before) => [...before, problem]);
  const take = async (given: Given) => {
    setProblems([]);
    for (const file of given.files) {
      try {
        const material = await materialOf(file);
        if (material === undefined) addProblem(`${isolated(file.name)} ${UNKNOWN}.`);
        else onMaterial({ ...material, name: file.name });
      } catch {
        addProblem(`${isolated(file.name)} cannot be read.`);
      }
    }
    try {
      for (const { name, files } of await given.folders) {
        const folder = folderIn(files);
        if (folder === undefined) addProblem(`${isolated(name)} ${NO_TILES}.`);
        else onMaterial({ kind: 'tiles', folder, name });
      }
    } catch {
      addProblem('The browser does not let this page read a dropped folder: choose it instead.');
    }
  };
  const takeText = (text: string, name: string) => {
    const material = materialIn(text, name);
    setProblems(material === undefined ? [`The text ${UNKNOWN}.`] : []);
    if (material !== undefined) onMaterial({ ...material, name });
  };
  return { problems, take, takeText };
}

export function ProofInput({ onMaterial }: InputProps) {
  const { problems, take, takeText } = useInput(onMaterial);
  const [isOver, setOver] = useState(false);
  return (
    <section
      aria-label="Material"
      class={isOver ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        const text = textDroppedIn(event.dataTransfer);
        if (text === '') void take(droppedIn(event.dataTransfer));
        else takeText(text, 'dropped');
      }}
    >
      <label for="proof-files">Drop files here, or choose them</label>
      <input
        id="proof-files"
        type="file"
        multiple
        onChange={({ currentTarget }) => {
          void take({ files: [...(currentTarget.files ?? [])], folders: [] });
          // The same file can be chosen again.
          currentTarget.value = '';
        }}
      />
      <label for="proof-folder">Or choose a folder of tiles</label>
      <input
        id="proof-folder"
        type="file"
        // The types of JSX have no such attribute.
        ref={(input) => {
          if (input !== null) input.webkitdirectory = true;
        }}
        onChange={({ currentTarget }) => {
          void take({ files: [], folders: chosenFolder(currentTarget.files) });
          currentTarget.value = '';
        }}
      />
      <PasteBox onText={(text) => takeText(text, 'pasted')} />
      <p role="status" class="farewell">
        {problems.join(' ')}
      </p>
      <p class="quiet">
        Receipts, checkpoints, exports by <code>store-orders audit export</code> or folders by{' '}
        <code>store-orders audit tiles</code>; and a policy, if witnesses are to have cosigned.
        Nothing that you add leaves this tab.
      </p>
    </section>
  );
}

function materialIn(text: string, name: string): Material | undefined {
  if (!isExport(text)) return readMaterial(text);
  return { kind: 'export', file: new Blob([text]), name };
}

function PasteBox({ onText }: { readonly onText: (text: string) => void }) {
  const box = useRef<HTMLTextAreaElement>(null);
  const take = () => {
    if (box.current === null) return;
    onText(box.current.value);
    box.current.value = '';
  };
  return (
    <>
      <label for="proof-text">Or paste a text</label>
      <textarea ref={box} id="proof-text" rows={4} spellcheck={false} />
      <button type="button" onClick={take}>
        Add the text
      </button>
    </>
  );
}
