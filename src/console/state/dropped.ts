/** Files and folders that are dropped on a page or chosen, with all that is in the folders. */

/** A folder that was dropped or chosen, with its files by their paths below it. */
export interface GivenFolder {
  readonly name: string;
  readonly files: ReadonlyMap<string, File>;
}

export interface Given {
  readonly files: readonly File[];
  readonly folders: readonly GivenFolder[];
}

/**
 * Returns what is dropped. Must be called while the event is handled: its data are gone later. Rejects if a
 * folder cannot be read, as in Chromium on a page from a disk.
 */
export async function droppedIn(data: DataTransfer | null): Promise<Given> {
  const entries = [...(data?.items ?? [])].map((item) => item.webkitGetAsEntry());
  const files = [...(data?.files ?? [])];
  const directories = entries.filter((entry) => entry?.isDirectory === true);
  if (directories.length === 0) return { files, folders: [] };
  const names = new Set(directories.map((entry) => entry?.name));
  const folders = directories.map(async (entry) => {
    const found = await filesBelow(entry as FileSystemDirectoryEntry, '');
    return { name: entry?.name ?? '', files: new Map(found) };
  });
  return {
    // A folder is among the files, too, as one that cannot be read.
    files: files.filter(({ name }) => !names.has(name)),
    folders: await Promise.all(folders),
  };
}

/** Returns the folder that was chosen by its files; `undefined` if there is none. */
export function chosenFolder(files: FileList | null): GivenFolder | undefined {
  const paths = [...(files ?? [])].map((file) => [file.webkitRelativePath, file] as const);
  const [first] = paths;
  if (first === undefined) return undefined;
  const [name = ''] = first[0].split('/', 1);
  return { name, files: new Map(paths.map(([path, file]) => [path.slice(name.length + 1), file])) };
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
