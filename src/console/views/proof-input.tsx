/** The ways into the page of proofs: files that are dropped or chosen, and pasted text. */
import { useRef, useState } from 'preact/hooks';
import { chosenFolder, droppedIn, type GivenFolder } from '../state/dropped.ts';
import { isolated } from '../state/isolated.ts';
import { isExport, MAX_TEXT_BYTES, type Material, readMaterial } from '../state/material.ts';
import { folderIn } from '../state/tile-folder.ts';

interface InputProps {
  readonly onMaterial: (material: Material) => void;
}

const UNKNOWN = 'is neither a receipt, a checkpoint, a proof, an export, a policy nor a public key';

const NO_TILES = 'is no folder of tiles: it must have one file named checkpoint';

async function materialOf(file: File): Promise<Material | undefined> {
  if (isExport(await file.slice(0, 100).text())) return { kind: 'export', file, name: file.name };
  return file.size <= MAX_TEXT_BYTES ? readMaterial(await file.text()) : undefined;
}

/** Takes files, folders and texts, and has the reason why the last one is no material. */
function useInput(onMaterial: InputProps['onMaterial']) {
  const [problem, setProblem] = useState('');
  const take = (material: Material | undefined, name: string) => {
    setProblem(material === undefined ? `${isolated(name)} ${UNKNOWN}.` : '');
    if (material !== undefined) onMaterial(material);
  };
  const takeFolder = ({ name, files }: GivenFolder) => {
    const folder = folderIn(files);
    setProblem(folder === undefined ? `${isolated(name)} ${NO_TILES}.` : '');
    if (folder !== undefined) onMaterial({ kind: 'tiles', folder, name });
  };
  const takeDropped = async (data: DataTransfer | null) => {
    try {
      const { files, folders } = await droppedIn(data);
      await takeFiles(files);
      folders.forEach(takeFolder);
    } catch {
      setProblem('The browser does not let this page read a dropped folder: choose it instead.');
    }
  };
  const takeFiles = async (files: Iterable<File>) => {
    for (const file of files) {
      try {
        take(await materialOf(file), file.name);
      } catch {
        setProblem(`${isolated(file.name)} cannot be read.`);
      }
    }
  };
  return { problem, take, takeFiles, takeFolder, takeDropped };
}

export function ProofInput({ onMaterial }: InputProps) {
  const { problem, take, takeFiles, takeFolder, takeDropped } = useInput(onMaterial);
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
        void takeDropped(event.dataTransfer);
      }}
    >
      <label for="proof-files">Drop files here, or choose them</label>
      <input
        id="proof-files"
        type="file"
        multiple
        onChange={async ({ currentTarget }) => {
          await takeFiles(currentTarget.files ?? []);
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
          const folder = chosenFolder(currentTarget.files);
          if (folder !== undefined) takeFolder(folder);
          currentTarget.value = '';
        }}
      />
      <PasteBox onText={(text) => take(materialIn(text), 'The text')} />
      <p role="status" class="farewell">
        {problem}
      </p>
      <p class="quiet">
        A receipt, two checkpoints, an export by <code>store-orders audit export</code> or a folder
        by <code>store-orders audit tiles</code>; and a policy, if witnesses are to have cosigned.
        Nothing that you add leaves this tab.
      </p>
    </section>
  );
}

function materialIn(text: string): Material | undefined {
  if (!isExport(text)) return readMaterial(text);
  return { kind: 'export', file: new Blob([text]), name: 'pasted' };
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
