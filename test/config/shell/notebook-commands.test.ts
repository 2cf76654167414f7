/** What a notebook starts by its shell lines. */
import { describe, expect, it } from 'vitest'
import { readConfigAsync } from '../../../engine/config/read.ts'
import { notebookCommands } from '../../../engine/config/shell/notebook-commands.ts'

const script = `import argparse
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
parser = argparse.ArgumentParser()
parser.add_argument("--batch-size", type=int, default=8)
parser.add_argument("--model", default="gpt2")
args = parser.parse_args()
model = AutoModelForCausalLM.from_pretrained(args.model)
Trainer(model, TrainingArguments("out", per_device_train_batch_size=args.batch_size)).train()
`

/** As Jupyter writes it. */
function notebook(...cells: readonly string[]): string {
  const source = (text: string) => text.split(/(?<=\n)/)
  const all = cells.map(text => ({
    cell_type: 'code',
    execution_count: 1,
    metadata: {},
    outputs: [],
    source: source(text),
  }))
  const words = { cell_type: 'markdown', metadata: {}, source: ['!python train.py --batch-size 99'] }
  return JSON.stringify({ cells: [words, ...all], metadata: {}, nbformat: 4, nbformat_minor: 5 }, undefined, 1)
}

async function reading(text: string, path = 'train.py') {
  const files: Record<string, string> = { 'train.py': script, 'run.ipynb': text }
  const sources = {
    readFile: async (name: string) => files[name],
    listFolder: async (folder: string) => (folder === '.' ? Object.keys(files) : []),
  }
  return readConfigAsync({ path, text: files[path] ?? '' }, sources)
}

describe('a notebook', () => {
  it('keeps the offsets of its commands, and nothing else', () => {
    const text = notebook('x = 1\n!torchrun --nproc_per_node 2 train.py \\\n  --batch-size 24\nprint(x)')
    const commands = notebookCommands(text)
    expect(commands).toHaveLength(text.length)
    expect(commands.indexOf('torchrun')).toBe(text.indexOf('torchrun'))
    expect(commands.indexOf('--batch-size 24')).toBe(text.indexOf('--batch-size 24'))
    expect(commands.replace(/\s+/g, ' ').trim()).toBe('torchrun --nproc_per_node 2 train.py \\ --batch-size 24')
  })

  it('passes its arguments to the script that it starts', async () => {
    const text = notebook('!torchrun --nproc_per_node 2 train.py \\\n  --batch-size 24')
    expect(await reading(text)).toMatchObject({ kind: 'training-config', spec: { microBatch: 24, gpus: 2 } })
  })

  it('does so in a cell that is a shell script', async () => {
    const text = notebook('%%bash\npip install trl\npython train.py --batch-size 12')
    expect(await reading(text)).toMatchObject({ spec: { microBatch: 12 } })
  })

  it('is a config itself, where its arguments set the batch size', async () => {
    const text = notebook('!pip install transformers', '!python train.py --batch-size 6 --model gpt2-medium')
    const read = await reading(text, 'run.ipynb')
    expect(read).toMatchObject({ kind: 'training-config', spec: { microBatch: 6 } })
    const line = text.slice(0, text.indexOf('--batch-size 6')).split('\n').length
    expect(read).toMatchObject({ batchSizeAt: { line } })
  })

  const given = '!python train.py --batch-size {BATCH}'

  it.each([
    ['a line of its cell', [`BATCH = 4\n${given}`]],
    ['a cell before', ['BATCH = 4  # a GPU\nprint(f"size={BATCH}")', `run = 2\n${given} --alpha=0.5`]],
    ['the last line before', ['BATCH = 8', 'BATCH = 4', given, 'BATCH = 16']],
    ['a dollar', ['BATCH=4', '!python train.py \\\n  --batch-size $BATCH']],
  ])('is given what Python sets by %s', async (_, cells) => {
    const text = notebook(...cells)
    const read = await reading(text, 'run.ipynb')
    expect(read).toMatchObject({ kind: 'training-config', spec: { microBatch: 4 } })
    const before = text.slice(0, text.indexOf('4', text.search(/BATCH ?= ?4/))).split('\n')
    expect(read).toMatchObject({ batchSizeAt: { line: before.length, column: before.at(-1)!.length + 1 } })
  })

  it.each([
    ['only a run sets', ['BATCH = settings.batch', given]],
    ['a branch sets too', ['BATCH = 4\nif large:\n    BATCH = 8', given]],
    ['a loop sets too', ['BATCH = 4\nfor BATCH in sizes:\n    pass', given]],
    ['is counted up', ['BATCH = 4\nBATCH *= 2', given]],
    ['is one of several that are set', ['BATCH = 4\nBATCH, EPOCHS = 8, 2', given]],
    ['is imported too', ['BATCH = 4\nfrom settings import BATCH', given]],
    ['a file sets that a cell writes', ['%%writefile settings.py\nBATCH = 4', given]],
    ['a text names', ['note = """\nBATCH = 4\n"""', given]],
  ])('asks for what %s', async (_, cells) => {
    const read = await reading(notebook(...cells))
    expect(read.kind).toBe('unreadable')
    expect(JSON.stringify(read)).toContain('BATCH')
  })

  it('runs a script by %run', async () => {
    // Without a word that names an interpreter.
    const text = notebook('%run train.py --batch-size 12').replace('!python', '!pwd')
    expect(notebookCommands(text)).toHaveLength(text.length)
    expect(await reading(text)).toMatchObject({ kind: 'training-config', spec: { microBatch: 12 } })
  })

  it('that starts nothing is no config', async () => {
    expect((await reading(notebook('!python --version\nprint("train.py")'), 'run.ipynb')).kind).toBe(
      'not-a-training-config',
    )
  })
})

describe('a script that the notebook writes itself', () => {
  const written = `%%writefile tuning.py\n${script}`
  const starts = '!python tuning.py --model distilgpt2'

  it('is read with its defaults, where it stands', async () => {
    const read = await reading(notebook('x = 1', written, starts), 'run.ipynb')
    expect(read).toMatchObject({
      kind: 'training-config',
      dialect: 'Hugging Face Trainer',
      batchSizeAt: { cell: { number: 2, line: 5 } },
      spec: { model: 'distilbert/distilgpt2', microBatch: 8 },
    })
  })

  it('takes the arguments that it is started with', async () => {
    const text = notebook(written, `${starts} \\\n  --batch-size 6`)
    expect(await reading(text, 'run.ipynb')).toMatchObject({
      batchSizeAt: { line: text.split('\n').findIndex(line => line.includes('--batch-size 6')) + 1 },
      spec: { model: 'distilbert/distilgpt2', microBatch: 6 },
    })
  })

  it('is found by its path in the machine that the notebook runs on', async () => {
    const text = notebook(written.replace('tuning.py', '/content/tuning.py'), starts)
    expect(await reading(text, 'run.ipynb')).toMatchObject({ spec: { microBatch: 8 } })
  })

  it.each([
    ['is written twice', notebook(written, written, starts)],
    ['is appended to', notebook(written, '%%writefile -a tuning.py\nprint(1)', starts)],
    ['has another name', notebook(written.replace('tuning.py', 'other/tuning.py'), starts)],
    ['is never started', notebook(written)],
  ])('is none where it %s', async (_, text) => {
    expect((await reading(text, 'run.ipynb')).kind).toBe('not-a-training-config')
  })
})
