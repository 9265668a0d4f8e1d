/** Files, folders with all that is in them, and texts that are dropped on a page or chosen. */

/** A folder that was dropped or chosen, with its files by their paths below it. */
export interface GivenFolder {
  readonly name: string;
  readonly files: ReadonlyMap<string, File>;
}

export interface Given {
  readonly files: readonly File[];
  /** Rejects if a folder cannot be read, as in Chromium on a page from a disk. */
  readonly folders: Promise<readonly GivenFolder[]> | readonly GivenFolder[];
}

/** Returns what is dropped. Must be called while the event is handled: its data are gone later. */
export function droppedIn(data: DataTransfer | null): Given {
  const items = [...(data?.items ?? [])].filter(({ kind }) => kind === 'file');
  const directories: FileSystemDirectoryEntry[] = [];
  const files: File[] = [];
  for (const item of items) {
    const entry = item.webkitGetAsEntry();
    // A folder is a file, too, as one that cannot be read.
    const file = item.getAsFile();
    if (entry?.isDirectory === true) directories.push(entry as FileSystemDirectoryEntry);
    else if (file !== null) files.push(file);
  }
  const folders = directories.map(async (entry) => {
    return { name: entry.name, files: new Map(await filesBelow(entry, '')) };
  });
  const all = Promise.all(folders);
  // Not reported as unhandled while the files beside them are read.
  all.catch(() => undefined);
  return { files, folders: all };
}

/** Returns the text that is dropped, such as a selection of another page; empty if there is none. */
export function textDroppedIn(data: DataTransfer | null): string {
  // A file can come with its name as a text.
  const hasFiles = data?.types.includes('Files') ?? false;
  return hasFiles ? '' : (data?.getData('text/plain') ?? '');
}

/** Returns the folder that was chosen by its files; none if it has none. */
export function chosenFolder(files: FileList | null): readonly GivenFolder[] {
  const paths = [...(files ?? [])].map((file) => [file.webkitRelativePath, file] as const);
  const [first] = paths;
  if (first === undefined) return [];
  const [name = ''] = first[0].split('/', 1);
  const named = paths.map(([path, file]) => [path.slice(name.length + 1), file] as const);
  return [{ name, files: new Map(named) }];
}

type Found = readonly (readonly [path: string, file: File])[];

async function filesBelow(folder: FileSystemDirectoryEntry, path: string): Promise<Found> {
  const reader = folder.createReader();
  const found: Found[] = [];
  for (;;) {
    // Each call returns some entries, up to 100 in Chromium, and none at the end.
    const entries = await new Promise<FileSystemEntry[]>((done, fail) => {
      reader.readEntries(done, fail);
    });
    if (entries.length === 0) return found.flat();
    found.push(...(await Promise.all(entries.map((entry) => filesIn(entry, path)))));
  }
}

async function filesIn(entry: FileSystemEntry, path: string): Promise<Found> {
  const at = `${path}${entry.name}`;
  if (entry.isDirectory) return filesBelow(entry as FileSystemDirectoryEntry, `${at}/`);
  const file = await new Promise<File>((done, fail) => {
    (entry as FileSystemFileEntry).file(done, fail);
  });
  return [[at, file]];
}
