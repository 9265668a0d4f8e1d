/** The ways into the page of proofs: files that are dropped or chosen, and pasted text. */
import { useRef, useState } from 'preact/hooks';
import { isExport, MAX_TEXT_BYTES, type Material, readMaterial } from '../state/material.ts';

interface InputProps {
  readonly onMaterial: (material: Material) => void;
}

const UNKNOWN = 'is neither a receipt, a checkpoint, a proof, an export, a policy nor a public key';

async function materialOf(file: File): Promise<Material | undefined> {
  if (isExport(await file.slice(0, 100).text())) return { kind: 'export', file, name: file.name };
  return file.size <= MAX_TEXT_BYTES ? readMaterial(await file.text()) : undefined;
}

export function ProofInput({ onMaterial }: InputProps) {
  const [problem, setProblem] = useState('');
  const [isOver, setOver] = useState(false);
  const take = (material: Material | undefined, name: string) => {
    setProblem(material === undefined ? `${name} ${UNKNOWN}.` : '');
    if (material !== undefined) onMaterial(material);
  };
  const takeFiles = async (files: FileList | null | undefined) => {
    for (const file of files ?? []) {
      try {
        take(await materialOf(file), file.name);
      } catch {
        setProblem(`${file.name} cannot be read.`);
      }
    }
  };
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
        void takeFiles(event.dataTransfer?.files);
      }}
    >
      <label for="proof-files">Drop files here, or choose them</label>
      <input
        id="proof-files"
        type="file"
        multiple
        onChange={async ({ currentTarget }) => {
          await takeFiles(currentTarget.files);
          // The same file can be chosen again.
          currentTarget.value = '';
        }}
      />
      <PasteBox onText={(text) => take(materialIn(text), 'The text')} />
      <p role="status" class="farewell">
        {problem}
      </p>
      <p class="quiet">
        A receipt, two checkpoints, or an export by <code>store-orders audit export</code>; and a
        policy, if witnesses are to have cosigned. Nothing that you add leaves this tab.
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
