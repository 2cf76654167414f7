/** Cases of what a tree can hold besides honest text: odd names, links, submodules, pointers of Git LFS, and large containers of text. */
import { trainingConfig } from '../../test/bot/configs.ts'
import type { Files, HostileInput } from './input.ts'

const honest = trainingConfig(8)
const torchtitan = '[model]\nname = "llama3"\nflavor = "8B"\n[training]\nlocal_batch_size = 8\nseq_len = 2048\n'
const trainer =
  'from transformers import AutoModelForCausalLM, Trainer, TrainingArguments\nTrainer(AutoModelForCausalLM.from_pretrained("gpt2"), TrainingArguments("o", per_device_train_batch_size=8)).train()\n'

/** Of options, prototypes, commands of GitHub's log, marks of Markdown, and characters that nobody sees. */
const oddNames = [
  '--help.yaml',
  '-rf.yaml',
  '__proto__.yaml',
  '__proto__/train.yaml',
  'constructor/hasOwnProperty.yaml',
  'toString/train.yaml',
  '::error::failed.yaml',
  '%0A::set-output name=a::b.yaml',
  '[a](javascript:alert).yaml',
  '![a](b).yaml',
  '<img src=x onerror=alert(1)>.yaml',
  'a|b`c`d.yaml',
  '@everyone #1.yaml',
  'two\nlines.yaml',
  'tab\tand\rreturn.yaml',
  'red\u001b[31m.yaml',
  'right\u202eto left.yaml',
  'separator\u2028.yaml',
  'TRAIN.yaml',
  'Train.yaml',
  'train.YAML',
  `${'x'.repeat(240)}.yaml`,
  `${'é'.repeat(120)}.yaml`,
  'a\\b.yaml',
  'a:b.yaml',
  ' .yaml',
]

const lfsPointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'4'.repeat(64)}\nsize 12345\n`

const list = (count: number, piece: (index: number) => string) => Array.from({ length: count }, (_, i) => piece(i))

export const oddFiles: readonly HostileInput[] = [
  alone('files with odd names', folder => Object.fromEntries(oddNames.map(name => [`${folder}/${name}`, honest]))),
  alone('a folder 300 levels deep', folder => ({
    [`${folder}/${'deep/'.repeat(300)}train.yaml`]: honest,
    [`${folder}/${'deep/'.repeat(300)}requirements.txt`]: 'transformers==4.46.0\n',
  })),
  alone('links out of the repository, to devices and in a circle', folder => ({
    [`${folder}/train.yaml`]: trainingConfig(8, `./${folder}`),
    [`${folder}/config.json`]: link('/dev/zero'),
    [`${folder}/zero.yaml`]: link('/dev/zero'),
    [`${folder}/terminal.yaml`]: link('/dev/tty'),
    [`${folder}/password.yaml`]: link('../../../../../../../../etc/passwd'),
    [`${folder}/circle.yaml`]: link('circle.yaml'),
    [`${folder}/folder.yaml`]: link('.'),
    [`${folder}/requirements.txt`]: link('/dev/random'),
    [`${folder}/long.yaml`]: link('a/'.repeat(2_000)),
  })),
  alone('submodules named as configs and as a model', folder => ({
    [`${folder}/train.yaml`]: trainingConfig(8, `./${folder}/model`),
    [`${folder}/model`]: { kind: 'submodule', sha: 'd'.repeat(40) },
    [`${folder}/other.yaml`]: { kind: 'submodule', sha: 'e'.repeat(40) },
  })),
  alone('pointers of Git LFS', folder => ({
    [`${folder}/train.yaml`]: trainingConfig(8, `./${folder}`),
    [`${folder}/config.json`]: lfsPointer,
    [`${folder}/other.yaml`]: lfsPointer,
    [`${folder}/train.py`]: lfsPointer,
  })),
  toml('a TOML of 50,000 lists in each other', `a = ${'['.repeat(50_000)}${']'.repeat(50_000)}\n`),
  toml('a TOML of 40,000 tables in each other', `a = ${'{a='.repeat(40_000)}1${'}'.repeat(40_000)}\n`),
  toml('a TOML with a key of 100,000 parts', `${Array(100_000).fill('a').join('.')} = 1\n`),
  toml('a TOML of 20,000 keys of three parts', list(20_000, index => `a${index}.b.c = 1\n`).join('')),
  toml('a TOML of 60,000 tables in a list', '[[t]]\n'.repeat(60_000)),
  toml('a TOML of 900 tables with 200 parts', list(900, index => `[${'a.'.repeat(200)}k${index}]\n`).join('')),
  toml('a TOML text of 80,000 folded lines', `a = """${'\\\n \n'.repeat(80_000)}"""\n`),
  notebook('a notebook with an output of 10 MB', [code(trainer, ['x'.repeat(100), '\n'].join('').repeat(100_000))]),
  notebook('a notebook of 30,000 cells', [...list(30_000, () => 'x = 1\n').map(text => code(text)), code(trainer)]),
  notebook('a notebook with a line of 100,000 magics', [code(trainer), code('%'.repeat(100_000))]),
  notebook('a notebook with a command of 100,000 lines', [
    code(`%%bash\n${'\\\n'.repeat(100_000)}python train.py\n`),
    code(trainer),
  ]),
]

function link(text: string): Files[string] {
  return { kind: 'link', text }
}

function alone(name: string, filesIn: (folder: string) => Files): HostileInput {
  return { kind: 'files', name, isAlone: true, filesIn }
}

/** `text` in a table of its own. */
function toml(name: string, text: string): HostileInput {
  return alone(name, folder => ({ [`${folder}/train.toml`]: `${torchtitan}[other]\n${text}` }))
}

function code(source: string, printed = ''): object {
  const outputs = printed === '' ? [] : [{ output_type: 'stream', name: 'stdout', text: printed }]
  return { cell_type: 'code', metadata: {}, execution_count: 1, source, outputs }
}

function notebook(name: string, cells: readonly object[]): HostileInput {
  const text = JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 })
  return alone(name, folder => ({ [`${folder}/train.ipynb`]: text }))
}
