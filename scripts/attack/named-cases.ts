/** Cases that have stopped the bot, the Action or the command line before, or come close to it. */
import { SETTINGS_PATH } from '../../engine/index.ts'
import { trainingConfig } from '../../test/bot/configs.ts'
import type { Files, HostileInput } from './input.ts'
import { oddFiles } from './odd-files.ts'

const honest = trainingConfig(8)
const llama = { model_type: 'llama', hidden_size: 4_096, intermediate_size: 11_008, num_attention_heads: 32 }
const pieces = <T>(count: number, piece: (index: number) => T) => Array.from({ length: count }, (_, i) => piece(i))

export const namedCases: readonly HostileInput[] = [
  config(
    'a list of 400,000 that is named 90 times',
    `${honest}a: &a [${'1,'.repeat(400_000)}1]\nb: [${Array(90).fill('*a').join(',')}]\n`,
  ),
  config(
    '60,000 keys that are merged 95 times',
    `${honest}a: &a\n${pieces(60_000, i => `  k${i}: 1\n`).join('')}${pieces(95, i => `m${i}: {<<: *a}\n`).join('')}`,
  ),
  config(
    'aliases of aliases',
    `${honest}a0: &a0 [1]\n${pieces(30, i => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]\n`).join('')}`,
  ),
  config('100,000 documents', `${honest}${'---\na: 1\n'.repeat(100_000)}`),
  config('100,000 colons', `${honest}${': '.repeat(100_000)}`),
  config('300,000 brackets that close', `${honest}${']'.repeat(300_000)}`),
  config('100,000 brackets that open', `${honest}a: ${'['.repeat(100_000)}`),
  config('50,000 complex keys', `${honest}${'? [a, b]\n: 1\n'.repeat(50_000)}`),
  config('100,000 anchors', `${honest}a:\n${pieces(100_000, i => `- &a${i} 1\n`).join('')}`),
  config('200,000 comments', `${honest}${'# a\n'.repeat(200_000)}`),
  config('a block of text of 4 MB', `${honest}a: |\n${'  text\n'.repeat(600_000)}`),
  config(
    'a list of 200,000 that is named 90 times',
    `${honest}a: &a [${'1,'.repeat(200_000)}1]\nb: [${Array(90).fill('*a').join(',')}]\n`,
  ),
  config(
    '35,000 keys that are merged 95 times',
    `${honest}a: &a\n${pieces(35_000, i => `  k${i}: 1\n`).join('')}${pieces(95, i => `m${i}: {<<: *a}\n`).join('')}`,
  ),
  config('45,000 documents', `${honest}${'---\na: 1\n'.repeat(45_000)}`),
  config('35,000 complex keys', `${honest}${'? [a, b]\n: 1\n'.repeat(35_000)}`),
  config('40,000 anchors', `${honest}a:\n${pieces(40_000, i => `- &a${i} 1\n`).join('')}`),
  config('120,000 comments', `${honest}${'# a\n'.repeat(120_000)}`),
  config('a key of 400,000 characters', `${honest}? "x${'_rank_zero'.repeat(40_000)}\\0 lora"\n: 1\n`),
  config('a block of text of 450 kB', `${honest}a: |\n${'  text\n'.repeat(64_000)}`),
  config('null bytes', `${honest}\0\0\0`),
  config('half of a surrogate pair', `${honest}title: "\\ud800"\n`),
  config('bidi characters', `${honest}title: "\u202eevil\u2066"\n`),
  config('a batch size of 300 digits', honest.replace(' 8\n', ` ${'9'.repeat(300)}\n`)),
  config('a sequence of ten million tokens', honest.replace('128', '10000000')),
  pattern('a pattern of 24 optional words', `${'\\w?'.repeat(24)}Z`),
  pattern('a pattern of 60 optional words', `${'\\w?'.repeat(60)}Z`),
  pattern('a pattern of nested repetitions', '((a+)+)+$'),
  glob('a glob with many stars', 'configs/*a*a*a*a*a*a*b'),
  glob('a glob with a huge range', '{1..99999999}'),
  glob('a glob with nested repetitions', '+(a|a)b'),
  {
    ...settings(
      'globs of many characters that may be any on long paths',
      `paths: [${pieces(115, i => `'**/*a${'?'.repeat(150)}b${i}'`).join(', ')}]\n`,
    ),
    filesIn: folder =>
      Object.fromEntries(pieces(200, i => [`${folder}/${`${'a'.repeat(200)}/`.repeat(14)}${i}.yaml`, honest] as const)),
  },
  settings('an ignored glob with many stars', `ignore: ['configs/*a*a*a*a*a*a*b']\n`),
  settings('an ignored glob of 100,000 dots', `ignore: ['{${'.'.repeat(100_000)}']\n`),
  settings('a condition of 100,000 blanks', `fail-on: 'waste > 0${' '.repeat(100_000)}> 0'\n`),
  settings('an override with a huge range', `overrides: [{path: '{1..99999999}', gpu: a10}]\n`),
  besideConfig(
    'a pyproject.toml of 200,000 blank lines',
    'pyproject.toml',
    `${'\n'.repeat(200_000)}[tool.poetry.dependencies]\ntransformers = "^4.46"\n`,
  ),
  model('ten million layers', { ...llama, num_hidden_layers: 10_000_000 }),
  model('a thousand layers', { ...llama, num_hidden_layers: 1_000 }),
  model('a hidden size of 300 digits', { ...llama, num_hidden_layers: 2, hidden_size: Number.MAX_VALUE }),
  model('twenty ResNets in one', {
    model_type: 'resnet',
    depths: Array(20).fill(1_000),
    hidden_sizes: Array(20).fill(256),
    layer_type: 'bottleneck',
    embedding_size: 64,
    num_channels: 3,
  }),
  model('a large model file', { ...llama, num_hidden_layers: 2, note: 'x'.repeat(2_000_000) }),
  script('a script of 50,000 open brackets', `args = ${'('.repeat(50_000)}1\n`),
  script('a script of 100,000 operators', `x = 1${' + 1'.repeat(100_000)}\n`),
  script('a script of 30,000 branches', `if a:\n    x = 1\n${'elif a:\n    x = 1\n'.repeat(30_000)}`),
  script('a script of 400 levels of if', pieces(400, depth => `${' '.repeat(depth)}if a:\n`).join('')),
  script('a script of 100,000 lines of a tab', '\t\n'.repeat(100_000)),
  script('a script of 50,000 assignments to one name', 'x = x + 1\n'.repeat(50_000)),
  script(
    'functions that call each other twice',
    pieces(60, i => `def f${i}(a):\n    return f${i + 1}(a) + f${i + 1}(a)\n`).join(''),
  ),
  script(
    'dictionaries that unpack each other twice',
    `d0 = {'x': 1}\n${pieces(60, i => `d${i + 1} = {**d${i}, **d${i}}\n`).join('')}`,
  ),
  script('a dictionary that holds itself twice, 60 times', `x = {"a": 1}\n${'x = {"a": x, "b": x}\n'.repeat(60)}`),
  script('a list that unpacks itself twice, 60 times', `x = [1]\n${'x = [*x, *x]\n'.repeat(60)}`),
  script('classes that inherit in a circle', 'class A(B):\n    x = B().x\nclass B(A):\n    x = A().x\n'),
  script(
    '200 trainers',
    'Trainer(model=m, args=TrainingArguments("o", per_device_train_batch_size=x)).train()\n'.repeat(200),
  ),
  script('a script of 200,000 closing brackets', ')\n'.repeat(200_000)),
  loop(
    'a loop below 20,000 imports of everything',
    pieces(20_000, index => `from m${index} import *\n`),
  ),
  launchedScript('a script that is passed 100,000 words', ` ${'+ 5 '.repeat(100_000)}`),
  launcher('a launcher of 30,000 here-documents', `cat ${'<<a '.repeat(30_000)}\n`),
  launcher('a variable that is put together from itself 60 times', `X=\${Y:-a}\n${'X="$X$X"\n'.repeat(60)}`),
  launcher('a variable whose letters are doubled 60 times', `X=a\n${`X=\${X//a/aa}\n`.repeat(60)}`),
  launcher('a launch of 30,000 arguments of one section', `torchrun train.py ${'--a.b 1 '.repeat(30_000)}\n`),
  script('null bytes in a script', 'x = "\0"\n\0\0'),
  script('an f-string in an f-string', `x = ${'f"{'.repeat(2_000)}1${'}"'.repeat(2_000)}\n`),
  {
    kind: 'files',
    name: '500 configs',
    isAlone: true,
    filesIn: folder => Object.fromEntries(pieces(500, String).map(number => [`${folder}/${number}.yaml`, honest])),
  },
  ...oddFiles,
]

function config(name: string, text: string): HostileInput {
  return { kind: 'files', name, isAlone: true, filesIn: folder => ({ [`${folder}/train.yaml`]: text }) }
}

function besideConfig(name: string, file: string, text: string): HostileInput {
  const filesIn = (folder: string) => ({ [`${folder}/train.yaml`]: honest, [`${folder}/${file}`]: text })
  return { kind: 'files', name, isAlone: true, filesIn }
}

/** `text` in the middle of a script that trains. */
function script(name: string, text: string): HostileInput {
  const imports = 'from transformers import AutoModelForCausalLM, Trainer, TrainingArguments\n'
  const training =
    'Trainer(model="gpt2", args=TrainingArguments("o", per_device_train_batch_size=x, bf16=f0(d60["x"]))).train()\n'
  const filesIn = (folder: string) => ({ [`${folder}/train.py`]: `${imports}${text}${training}` })
  return { kind: 'files', name, isAlone: true, filesIn }
}

/** `lines` before a loop over a data loader. */
function loop(name: string, lines: readonly string[]): HostileInput {
  const above = `import torch
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM
model = AutoModelForCausalLM.from_pretrained("gpt2").cuda()
loader = DataLoader(data, batch_size=8, shuffle=True)
optimizer = torch.optim.AdamW(model.parameters())
`
  const steps = 'for batch in loader:\n    loss = model(**batch).loss\n    loss.backward()\n    optimizer.step()\n'
  const filesIn = (folder: string) => ({ [`${folder}/train.py`]: `${above}${lines.join('')}${steps}` })
  return { kind: 'files', name, isAlone: true, filesIn }
}

/** A script of the arguments of transformers and its launcher, which passes the words on one line. */
function launchedScript(name: string, words: string): HostileInput {
  const parsed = `from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer, TrainingArguments
(args,) = HfArgumentParser(TrainingArguments).parse_args_into_dataclasses()
Trainer(AutoModelForCausalLM.from_pretrained("gpt2"), args=args).train()
`
  const filesIn = (folder: string) => ({
    [`${folder}/train.py`]: parsed,
    [`${folder}/train.sh`]: `python train.py --tags${words}--per_device_train_batch_size 8\n`,
  })
  return { kind: 'files', name, isAlone: true, filesIn }
}

/** `text` before a launch. */
function launcher(name: string, text: string): HostileInput {
  const launch = 'llamafactory-cli train --stage sft --model_name_or_path gpt2 --per_device_train_batch_size 8\n'
  return { kind: 'files', name, isAlone: true, filesIn: folder => ({ [`${folder}/train.sh`]: `${text}${launch}` }) }
}

function pattern(name: string, written: string): HostileInput {
  return config(name, `${honest}unfrozen_parameters: ['${written}']\n`)
}

function glob(name: string, written: string): HostileInput {
  return settings(name, `paths: ['${written}']\n`)
}

function settings(name: string, text: string): Extract<HostileInput, { kind: 'settings' }> {
  return { kind: 'settings', name, text: `# ${SETTINGS_PATH}\n${text}` }
}

function model(name: string, contents: object): HostileInput {
  return { kind: 'files', name, isAlone: true, filesIn: folder => besideModel(folder, JSON.stringify(contents)) }
}

/** A config that trains the model of the config.json beside it. */
export function besideModel(folder: string, configJson: string): Files {
  return { [`${folder}/train.yaml`]: trainingConfig(8, `./${folder}`), [`${folder}/config.json`]: configJson }
}
