// The example programs of a documentation page, compiled with the sources and run one by one against a server.
import { execFileSync, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../..');

export interface Snippets {
  files: string[];
  /** Returns the compiler's messages; empty if it succeeds. */
  compile(): string;
  /** Runs one program, with the folder as its working directory. */
  run(file: string, environment: Record<string, string>): Promise<{ code: number | null; output: string }>;
  end(): Promise<void>;
}

/** Writes each code block of a language to its own file, in a folder where the packages of the checkout can be imported. */
export async function snippetsOf(page: string, language = 'ts'): Promise<Snippets> {
  const folder = await mkdtemp(join(tmpdir(), 'lorekeep-snippets-'));
  await mkdir(join(folder, 'node_modules'));
  for (const name of ['@lorekeep', '@types', 'undici-types', 'openai'])
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  const text = await readFile(join(root, page), 'utf8');
  const files = [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, program], at) => ({
      file: `example-${at + 1}.ts`,
      program: program!,
    }),
  );
  for (const { file, program } of files) await writeFile(join(folder, file), program);
  return {
    files: files.map(({ file }) => file),
    compile: () => {
      const options = {
        extends: join(root, 'tsconfig.json'),
        include: ['*.ts'],
        exclude: [],
        compilerOptions: { typeRoots: [join(root, 'node_modules/@types')] },
      };
      execFileSync('sh', ['-c', 'cat > tsconfig.json'], { cwd: folder, input: JSON.stringify(options) });
      try {
        execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' });
        return '';
      } catch (error) {
        return (error as { stdout: string }).stdout;
      }
    },
    run: async (file, environment) => {
      const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', file], {
        cwd: folder,
        env: { PATH: process.env.PATH, ...environment },
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk) => {
          output += chunk;
        });
      return { code: await new Promise<number | null>((resolve) => child.once('close', resolve)), output };
    },
    end: async () => await rm(folder, { recursive: true }),
  };
}
