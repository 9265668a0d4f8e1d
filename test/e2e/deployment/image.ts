import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import {
  type Copy,
  DockerfileParser,
  type Instruction,
  type JSONInstruction,
} from 'dockerfile-ast';
import { newFolder } from '../../support/service.ts';

/**
 * Runs a Dockerfile without containers, in one folder for each stage: its COPY, RUN, WORKDIR and
 * ENV. Base image, users and file modes are ignored.
 */

/** The result of a stage. */
export interface Image {
  /** The folder that represents the root of the image's file system. */
  readonly root: string;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
}

/** @param runInstead Replacements for commands that would use the network. */
export function buildImage(file: string, runInstead: Readonly<Record<string, string>>): Image {
  const stages = new Map<string, Stage>();
  let stage = new Stage();
  for (const instruction of DockerfileParser.parse(readFileSync(file, 'utf8')).getInstructions()) {
    const text = instruction.getArgumentsContent() ?? '';
    if (instruction.getKeyword() === 'FROM') {
      stage = new Stage();
      stages.set(text.split(' AS ')[1] ?? '', stage);
    } else {
      stage.take(instruction, text, (name) => stages.get(name) as Stage, runInstead);
    }
  }
  return stage;
}

class Stage implements Image {
  readonly root = newFolder();
  workdir = this.root;
  readonly env: Record<string, string> = {};
  entrypoint: readonly string[] = [];
  command: readonly string[] = [];
  healthCheck: readonly string[] = [];

  take(
    instruction: Instruction,
    text: string,
    stageOf: (name: string) => Stage,
    runInstead: Readonly<Record<string, string>>,
  ): void {
    switch (instruction.getKeyword()) {
      case 'WORKDIR':
        this.workdir = join(this.root, text);
        mkdirSync(this.workdir, { recursive: true });
        return;
      case 'COPY':
        this.#copy(instruction as Copy, stageOf);
        return;
      case 'RUN':
        this.#run(runInstead[text] ?? text);
        return;
      case 'ENV':
        for (const [, name = '', value = ''] of text.matchAll(/(\w+)=(\S+)/g))
          this.env[name] = value;
        return;
      case 'ENTRYPOINT':
        this.entrypoint = listIn(instruction as JSONInstruction);
        return;
      case 'CMD':
        this.command = listIn(instruction as JSONInstruction);
        return;
      case 'HEALTHCHECK':
        this.healthCheck = JSON.parse(text.slice(text.indexOf('CMD ') + 4)) as string[];
        return;
      case 'USER':
      case 'VOLUME':
      case 'EXPOSE':
        return;
      default:
        throw new Error(`nobody here knows what ${instruction.getKeyword()} does`);
    }
  }

  #copy(instruction: Copy, stageOf: (name: string) => Stage): void {
    const from = instruction
      .getFlags()
      .find((flag) => flag.getName() === 'from')
      ?.getValue();
    const paths = instruction.getArguments().map((argument) => argument.getValue());
    const to = this.#at(paths.pop() as string);
    for (const path of paths) {
      const source = typeof from === 'string' ? stageOf(from).#at(path) : resolve(path);
      const isInto = to.endsWith('/') || (paths.length > 1 && !statSync(source).isDirectory());
      cpSync(source, isInto ? join(to, basename(path)) : to, {
        recursive: true,
        verbatimSymlinks: true,
      });
    }
  }

  #run(command: string): void {
    const { status, stdout, stderr } = spawnSync('sh', ['-ec', command], {
      cwd: this.workdir,
      encoding: 'utf8',
      timeout: 200_000,
    });
    if (status !== 0) throw new Error(`${command}: ${stdout}${stderr}`);
  }

  #at(path: string): string {
    const place = path.startsWith('/') ? join(this.root, path) : join(this.workdir, path);
    return path.endsWith('/') && !place.endsWith('/') ? `${place}/` : place;
  }
}

function listIn(instruction: JSONInstruction): readonly string[] {
  return instruction.getJSONStrings().map((text) => text.getJSONValue());
}
