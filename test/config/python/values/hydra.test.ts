// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are OmegaConf's
/** Settings that Hydra composes for a script, by the rules of Hydra 1.3: docs/advanced/defaults_list, docs/advanced/overriding_packages. */
import { describe, expect, it } from 'vitest'
import { readConfigAsync } from '../../../../engine/config/read.ts'
import type { FileReading } from '../../../../engine/config/reading.ts'
import { type Files, sourcesOf } from '../../files.ts'

const script = (main = 'config_path="../conf", config_name="config"') => `import hydra
from transformers import AutoModelForCausalLM
from trl import SFTConfig, SFTTrainer

@hydra.main(version_base=None, ${main})
def main(cfg):
    model = AutoModelForCausalLM.from_pretrained(cfg.model.name)
    arguments = SFTConfig(
        "out",
        per_device_train_batch_size=cfg.train.batch,
        gradient_accumulation_steps=cfg["train"]["accumulate"],
        max_length=cfg.train.get("length", 256),
        bf16=cfg.train.bf16,
    )
    SFTTrainer(model=model, args=arguments).train()

if __name__ == "__main__":
    main()
`
const base: Files = {
  'conf/config.yaml': 'defaults:\n  - model: small\n  - train: usual\n  - _self_\nseed: 1\n',
  'conf/model/small.yaml': 'name: gpt2\n',
  'conf/model/large.yaml': 'name: gpt2-medium\n',
  'conf/train/usual.yaml': 'batch: 4\naccumulate: 2\nbf16: true\n',
}

function read(files: Files, path = 'src/train.py', text = script()): Promise<FileReading> {
  const all = { [path]: text, ...files }
  return readConfigAsync({ path, text: all[path] ?? '' }, sourcesOf(all))
}

async function trained(files: Files, path?: string, text?: string) {
  const reading = await read(files, path, text)
  if (reading.kind !== 'training-config') throw new Error(JSON.stringify(reading))
  return reading
}

async function why(files: Files): Promise<string> {
  const reading = await read(files)
  if (reading.kind === 'not-a-training-config') return reading.why
  if (reading.kind !== 'unreadable') throw new Error(JSON.stringify(reading))
  return reading.problems.map(({ message }) => message).join('; ')
}

const whole = 'model:\n  name: gpt2\ntrain:\n  batch: 6\n  accumulate: 1\n  bf16: true\n'

describe('a script that Hydra gives its settings', () => {
  it('is read with those of every file that the defaults list names', async () => {
    expect((await trained(base)).spec).toMatchObject({
      model: 'openai-community/gpt2',
      microBatch: 4,
      gradientAccumulation: 2,
      precision: 'amp-bf16',
      sequenceLength: 256,
    })
  })

  it('takes the primary config over the files it names, unless _self_ stands first', async () => {
    const own = (order: string) => `defaults:\n${order}\ntrain:\n  batch: 16\n`
    const size = async (order: string) => (await trained({ ...base, 'conf/config.yaml': own(order) })).spec.microBatch
    expect(await size('  - model: small\n  - train: usual\n  - _self_')).toBe(16)
    expect(await size('  - model: small\n  - train: usual')).toBe(16)
    expect(await size('  - _self_\n  - model: small\n  - train: usual')).toBe(4)
  })

  it('places a file where its header, or the list, says', async () => {
    const elsewhere = {
      ...base,
      'conf/config.yaml': 'defaults:\n  - model: small\n  - settings@train: base\n  - size: eight\n',
      'conf/settings/base.yaml': 'batch: 4\naccumulate: 2\nbf16: true\n',
      'conf/size/eight.yaml': '# @package _global_\ntrain:\n  batch: 8\n',
    }
    expect((await trained(elsewhere)).spec).toMatchObject({ microBatch: 8, gradientAccumulation: 2 })
  })

  it('follows lists of the files themselves, and what a later one overrides', async () => {
    const nested = {
      ...base,
      'conf/config.yaml': 'defaults:\n  - model: small\n  - train: long\n  - experiment: first\n',
      'conf/train/long.yaml': 'defaults:\n  - usual\nbatch: 2\nlength: 512\n',
      'conf/experiment/first.yaml':
        '# @package _global_\ndefaults:\n  - override /model: large\ntrain:\n  accumulate: 32\n',
    }
    expect((await trained(nested)).spec).toMatchObject({
      model: 'openai-community/gpt2-medium',
      microBatch: 2,
      gradientAccumulation: 32,
      sequenceLength: 512,
    })
  })

  it('looks up what a value refers to, in whichever file', async () => {
    const files = {
      ...base,
      'conf/config.yaml': 'defaults:\n  - model: small\n  - train: usual\n  - _self_\nsize: 12\nfamily: gpt2\n',
      'conf/train/usual.yaml': 'batch: ${size}\naccumulate: ${.batch}\nbf16: true\nlength: ${oc.env:LENGTH,128}\n',
      'conf/model/small.yaml': 'name: ${family}-medium\n',
    }
    const { spec } = await trained({
      ...files,
      'conf/train/usual.yaml': 'batch: ${size}\naccumulate: ${.batch}\nbf16: true\n',
    })
    expect(spec).toMatchObject({ microBatch: 12, gradientAccumulation: 12, model: 'openai-community/gpt2-medium' })
    expect(await why({ ...files, 'conf/train/usual.yaml': 'batch: ${now:%d}\naccumulate: 1\nbf16: true\n' })).toContain(
      '${now:%d}',
    )
  })

  it('takes what a launcher sets, and which file of a group it chooses', async () => {
    const launched = { ...base, 'run.sh': 'python src/train.py model=large train.batch=32\n' }
    const { spec, assumesCode } = await trained(launched)
    expect(spec).toMatchObject({ model: 'openai-community/gpt2-medium', microBatch: 32 })
    expect(assumesCode).toBeUndefined()
    // An addition is not read, and the verdict never blocks.
    const added = { ...base, 'run.sh': 'python src/train.py +experiment=first\n' }
    expect((await trained(added)).assumesCode).toBe(true)
  })

  describe('is composed as its launcher names it', () => {
    const files: Files = {
      ...base,
      'conf/big.yaml': 'defaults:\n  - model: large\n  - train: usual\n  - _self_\ntrain:\n  batch: 64\n',
      'other/config.yaml': 'model:\n  name: gpt2-large\ntrain:\n  batch: 3\n  accumulate: 1\n  bf16: true\n',
      'conf/experiment/long.yaml':
        '# @package _global_\ndefaults:\n  - override /model: large\ntrain:\n  batch: 2\n  length: 1024\n',
    }
    const launched = (options: string, main?: string) =>
      trained({ ...files, 'run.sh': `python src/train.py ${options}\n` }, undefined, script(main))

    it.each([
      ['--config-name=big', { microBatch: 64, model: 'openai-community/gpt2-medium' }],
      ['--config-name big.yaml', { microBatch: 64, model: 'openai-community/gpt2-medium' }],
      ['-cn big train.batch=5', { microBatch: 5, model: 'openai-community/gpt2-medium' }],
      ['--config-path=../other', { microBatch: 3, model: 'openai-community/gpt2-large' }],
      ['+experiment=long', { microBatch: 2, model: 'openai-community/gpt2-medium', sequenceLength: 1024 }],
      ['+experiment=long train.batch=7', { microBatch: 7, model: 'openai-community/gpt2-medium' }],
      ['+train.length=512', { microBatch: 4, sequenceLength: 512 }],
    ])('%s', async (options, spec) => {
      const reading = await launched(options)
      expect(reading.spec).toMatchObject(spec)
      expect(reading.assumesCode).toBeUndefined()
    })

    it('where the script itself names none', async () => {
      expect((await launched('--config-name=big', 'config_path="../conf"')).spec.microBatch).toBe(64)
    })

    it('and not where that looks for configs elsewhere too, or takes something away', async () => {
      const elsewhere = { ...files, 'run.sh': 'python src/train.py --config-dir=more\n' }
      expect(await why(elsewhere)).toContain('cfg is given by the callers')
      expect((await launched('~train.length')).assumesCode).toBe(true)
    })
  })

  it('has its configs beside the script where it names no folder, before Hydra 1.2', async () => {
    const beside = { 'src/config.yaml': whole }
    const own = (main: string) => read(beside, 'src/train.py', script(main).replace('version_base=None, ', ''))
    expect(await own('config_name="config"')).toMatchObject({ kind: 'training-config', spec: { microBatch: 6 } })
    expect(await own('version_base="1.1", config_name="config"')).toMatchObject({ kind: 'training-config' })
    expect(await read(beside, 'src/train.py', script('config_name="config"'))).toMatchObject({
      kind: 'not-a-training-config',
    })
  })

  it('is open where a file is missing, or a structured config is named', async () => {
    const { 'conf/train/usual.yaml': _, ...without } = base
    expect(await why(without)).toContain('conf/train/usual.yaml, which cannot be read')
    expect(
      await why({ ...base, 'conf/config.yaml': `defaults:\n  - schema\n  - model: small\n  - train: usual\n` }),
    ).toContain('conf/schema.yaml')
    const optional = 'defaults:\n  - model: small\n  - train: usual\n  - optional local: mine\n'
    expect((await trained({ ...base, 'conf/config.yaml': optional })).spec.microBatch).toBe(4)
  })

  it('says of a file in a group what the script makes of it, with its line', async () => {
    const key = 'per_device_train_batch_size'
    const train = `${key}: 4\naccumulate: 2\nbf16: true\n`
    const files = {
      ...base,
      'src/train.py': script().replace('cfg.train.batch', `cfg.train.${key}`),
      'conf/train/usual.yaml': train,
    }
    const { spec, batchSizeAt } = await trained(files, 'conf/train/usual.yaml', train)
    expect(spec).toMatchObject({ model: 'openai-community/gpt2', microBatch: 4 })
    expect(batchSizeAt).toEqual({ line: 1, column: 30 })
  })

  it('refers to itself in a circle without end', async () => {
    const circle = 'batch: ${train.accumulate}\naccumulate: ${train.batch}\nbf16: true\n'
    expect(await why({ ...base, 'conf/train/usual.yaml': circle })).toContain('${train.')
  })

  it('refers to so many others that nobody can say', async () => {
    const wide = (to: string) => Array.from({ length: 60 }, (_, index) => `k${index}: \${${to}}`).join('\n')
    const files = {
      ...base,
      'conf/config.yaml': `defaults:\n  - model: small\n  - train: usual\n  - a: a\n  - b: b\n  - c: c\n`,
      'conf/a/a.yaml': wide('b'),
      'conf/b/b.yaml': wide('c'),
      'conf/c/c.yaml': wide('a'),
    }
    expect((await read(files)).kind).not.toBe('several-trainings')
  })
})
