/** Each form of a line that a script, a launcher, a config or a file of versions may have, as often as the file is read. */
import { type Files, type HostileInput, honestConfig } from './input.ts'
import {
  jsonLines,
  type Line,
  lockLines,
  pythonLines,
  requirementLines,
  shellLines,
  tomlLines,
  yamlLines,
} from './line-forms.ts'

/** A little below the most that is read of a config, a script or a launcher, with what stands around the lines. */
const MAX_CHARACTERS = 490_000
const MAX_LOCK_CHARACTERS = 4_100_000
const MAX_NOTEBOOK_CHARACTERS = 480_000

const lockFiles = ['uv.lock', 'poetry.lock', 'pdm.lock', 'pylock.toml', 'Pipfile.lock', 'conda-lock.yml', 'pixi.lock']
const requirementFiles = [
  'requirements.txt',
  'constraints.txt',
  'requirements/all.in',
  'environment.yml',
  'pyproject.toml',
  'Pipfile',
  'setup.cfg',
]

/** What a file of a kind is made of: what stands around the lines. */
const kinds: readonly {
  readonly name: string
  readonly lines: readonly Line[]
  readonly filesOf: (lines: (most?: number) => string, index: number) => Files
}[] = [
  {
    name: 'a script',
    lines: pythonLines,
    filesOf: lines => ({ 'train.py': `${pythonHead}${lines()}\n${pythonTail}` }),
  },
  {
    name: 'a function of a script',
    lines: pythonLines,
    filesOf: lines => ({
      'train.py': `${pythonHead}def run(args, kw, x):\n    ${lines(240_000).replaceAll('\n', '\n    ')}\n    ${pythonTail}run(args, kw, x)\n`,
    }),
  },
  {
    name: 'a notebook',
    lines: pythonLines,
    filesOf: lines => ({ 'train.ipynb': notebookOf(lines(MAX_NOTEBOOK_CHARACTERS).split('\n')) }),
  },
  {
    name: 'a module that a script imports',
    lines: pythonLines,
    filesOf: lines => ({
      'train.py': `${pythonHead}from .settings import args, kw, x\n${pythonTail}`,
      'settings.py': `${pythonHead}${lines()}\n`,
    }),
  },
  {
    name: 'a launcher',
    lines: shellLines,
    filesOf: lines => ({
      'train.sh': `X=1\n${lines()}\npython train.py --per_device_train_batch_size $X --bf16 $X0\n`,
      'train.py': `${parserHead}${pythonTail}`,
    }),
  },
  {
    name: 'a job',
    lines: shellLines,
    filesOf: lines => ({
      'job.yaml': `resources: {accelerators: "A100:8"}\nrun: |\n  ${lines(400_000).replaceAll('\n', '\n  ')}\n  torchrun train.py --bf16 $X\n`,
      'train.py': `${parserHead}${pythonTail}`,
    }),
  },
  { name: 'a YAML', lines: yamlLines, filesOf: lines => ({ 'train.yaml': `${honestConfig}${lines()}\n` }) },
  {
    name: 'a TOML',
    lines: tomlLines,
    filesOf: lines => ({
      'train.toml': `[model]\nname = "llama3"\nflavor = "8B"\n[training]\nlocal_batch_size = 8\nseq_len = 2048\n${lines()}\n`,
    }),
  },
  {
    name: 'a JSON',
    lines: jsonLines,
    filesOf: lines => ({
      'train.json': `{"model_name_or_path": "gpt2", "per_device_train_batch_size": 8, "bf16": true,\n${lines()}\n"z": 1}`,
    }),
  },
  {
    name: 'a config.json',
    lines: jsonLines,
    filesOf: lines => ({
      'train.yaml': honestConfig.replace(/model_name_or_path: .*/, 'model_name_or_path: "."'),
      'config.json': `{"model_type": "bert", "hidden_size": 128,\n${lines()}\n"z": 1}`,
    }),
  },
  {
    name: 'a file of requirements',
    lines: requirementLines,
    filesOf: (lines, index) => ({
      'train.yaml': honestConfig,
      [requirementFiles[index % requirementFiles.length] ?? '']: `${lines()}\n`,
    }),
  },
  ...lockFiles.map(file => ({
    name: file,
    lines: lockLines,
    filesOf: (lines: (most?: number) => string) => ({
      'train.yaml': honestConfig,
      [file]: `${file === 'Pipfile.lock' ? '{"default": {' : ''}${lines(MAX_LOCK_CHARACTERS)}\n`,
    }),
  })),
]

const pythonHead = `import os, torch
from argparse import ArgumentParser
from dataclasses import replace
from peft import LoraConfig, get_peft_model
from omegaconf import OmegaConf
from torch.utils.data import DataLoader
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
parser = ArgumentParser()
model = AutoModelForCausalLM.from_pretrained("gpt2")
more = {"b": 1, "gradient_accumulation_steps": 2}
x = 8
kw = {"a": {"b": 1}, "per_device_train_batch_size": 8, "gradient_checkpointing": True}
args = TrainingArguments("o", **kw)
`
const pythonTail =
  'Trainer(model, args=TrainingArguments("o", bf16=kw["a"], max_steps=x, **kw) if kw["z"] else args).train()\n'
const parserHead = `${pythonHead}parser.add_argument("--bf16")\nparser.add_argument("--per_device_train_batch_size", type=int)\nx = parser.parse_args()\nkw["bf16"] = x.bf16\nkw["per_device_train_batch_size"] = x.per_device_train_batch_size\n`

export function repeatedLines(): readonly HostileInput[] {
  return kinds.flatMap(({ name, lines, filesOf }) =>
    lines.map((line, index): HostileInput => {
      const repeated = (most = MAX_CHARACTERS) => filled(line, most - 2_000)
      return {
        kind: 'files',
        name: `${name} of lines like ${JSON.stringify(line(1).slice(0, 60))}`,
        filesIn: folder =>
          Object.fromEntries(
            Object.entries(filesOf(repeated, index)).map(([file, text]) => [`${folder}/${file}`, text]),
          ),
      }
    }),
  )
}

function filled(line: Line, characters: number): string {
  const lines: string[] = []
  let length = 0
  for (let index = 0; ; index += 1) {
    const next = line(index)
    length += next.length + 1
    if (length > characters) return lines.join('\n')
    lines.push(next)
  }
}

/** Each line a cell. */
function notebookOf(lines: readonly string[]): string {
  const cells: string[] = []
  let length = 0
  for (const source of [pythonHead, ...lines]) {
    const cell = JSON.stringify({ cell_type: 'code', metadata: {}, outputs: [], execution_count: 1, source })
    length += cell.length + 1
    if (length > 15_000_000) break
    cells.push(cell)
  }
  const last = JSON.stringify({ cell_type: 'code', metadata: {}, outputs: [], execution_count: 1, source: pythonTail })
  return `{"cells": [${[...cells, last].join(',')}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}`
}
