/** DeepSpeed's file as each tool's config names it: what its content decides, and what is told where there is none. */
import { describe, expect, it } from 'vitest'
import { type Explanation, explainConfig, explainConfigAsync } from '../../../engine/config/read.ts'

const dpo =
  'model_name_or_path: gpt2\nper_device_train_batch_size: 2\nmax_length: 512\nbf16: true\nbeta: 0.1\nmax_prompt_length: 128\n'
/** Each with a place for the file's name. */
const tools = {
  'Hugging Face Trainer': 'model_name_or_path: bert\nper_device_train_batch_size: 16\nbf16: true\ndeepspeed: FILE\n',
  'TRL, one level down': `trainer:\n  ${dpo.replaceAll('\n', '\n  ')}deepspeed: FILE\n`,
  Axolotl: 'base_model: gpt2\nmicro_batch_size: 2\nsequence_len: 512\ndatasets: []\ndeepspeed: FILE\n',
  'LLaMA-Factory':
    'model_name_or_path: gpt2\nstage: sft\ndo_train: true\nfinetuning_type: full\ncutoff_len: 512\nbf16: true\ndeepspeed: FILE\n',
  'LLaMA-Factory v1':
    'model: gpt2\nmodel_class: llm\nmicro_batch_size: 2\ncutoff_len: 512\ntrain_dataset: x\ndist_config: {name: deepspeed, config_file: FILE}\n',
} as const
type Tool = keyof typeof tools
const toolNames = Object.keys(tools) as Tool[]

const offloading = JSON.stringify({
  zero_optimization: { stage: 3, offload_param: { device: 'cpu' }, offload_optimizer: { device: 'nvme' } },
})
const stage = (number: number, others = {}) => JSON.stringify({ zero_optimization: { stage: number }, ...others })

/** A config at configs/train.yaml in a repository of these files. */
async function readBeside(text: string, files: Readonly<Record<string, string>> = {}) {
  const asked: string[] = []
  const readFile = async (path: string) => {
    if (!path.endsWith('config.json')) asked.push(path)
    return files[path]
  }
  const explanation = await explainConfigAsync({ path: 'configs/train.yaml', text }, { readFile })
  if (explanation.kind !== 'recognised') throw new Error('not recognised')
  return { ...explanation, asked, spec: specOf(explanation) }
}

function specOf({ reading }: Extract<Explanation, { kind: 'recognised' }>) {
  return reading.kind === 'training-config' ? reading.spec : undefined
}

const named = (tool: Tool, file: string) => tools[tool].replace('FILE', file)
const readFrom = (tool: Tool, text: string) => readBeside(named(tool, 'configs/ds.json'), { 'configs/ds.json': text })

describe.each(toolNames)("DeepSpeed's file that a config of %s names", tool => {
  it('decides by its content, whatever its name says', async () => {
    const files = { 'configs/ds_z2.json': offloading }
    const { spec, assumptions, decisions } = await readBeside(named(tool, 'configs/ds_z2.json'), files)
    expect(spec).toMatchObject({ sharding: 'zero3', offload: 'optimizer-and-weights', precision: 'bf16-master' })
    expect(assumptions).toContain('ZeRO stage 3, offloaded to the host: read from "configs/ds_z2.json".')
    expect(assumptions.join(' ')).not.toContain('the name of')
    expect(decisions.find(({ setting }) => setting === 'sharding')?.from).toMatchObject({
      kind: 'field',
      field: { file: 'configs/ds_z2.json', name: 'zero_optimization.stage', at: { line: 1 } },
    })
  })

  it('is looked for beside the config too', async () => {
    const { spec, asked, assumptions } = await readBeside(named(tool, 'ds.json'), { 'configs/ds.json': stage(1) })
    expect({ sharding: spec?.sharding, asked }).toEqual({ sharding: 'zero1', asked: ['ds.json', 'configs/ds.json'] })
    expect(assumptions).toContain('ZeRO stage 1: read from "configs/ds.json".')
  })

  it('is known by its name where there is none, and it says where it was looked for', async () => {
    const { spec, assumptions } = await readBeside(named(tool, 'examples/ds_z3_offload.json'))
    expect(spec).toMatchObject({ sharding: 'zero3', offload: 'optimizer-and-weights' })
    expect(assumptions).toContain(
      'ZeRO stage 3, offloaded to the host: read from the name of "examples/ds_z3_offload.json"; there is no readable file at "examples/ds_z3_offload.json" or "configs/examples/ds_z3_offload.json".',
    )
  })

  it('is refused where neither it nor its name can be read, with what was tried and what to do', async () => {
    const { reading, asked } = await readBeside(named(tool, 'other.json'))
    expect(asked).toEqual(['other.json', 'configs/other.json'])
    expect(reading).toMatchObject({
      kind: 'unreadable',
      problems: [
        {
          code: 'not-in-file',
          message:
            'The ZeRO stage cannot be determined: there is no readable file at "other.json" or "configs/other.json", and the name "other.json" does not say it',
          fix: 'Add the file to the repository, name the stage in the file name (zero2.json), or write the DeepSpeed settings here.',
          file: 'configs/train.yaml',
        },
      ],
    })
  })
})

describe('a file that is of no use', () => {
  const tool = 'Hugging Face Trainer'
  const trouble = async (name: string, files: Readonly<Record<string, string>> = {}) => {
    const { reading } = await readBeside(named(tool, name), files)
    return reading.kind === 'unreadable' ? reading.problems : reading
  }

  it('leaves it to the name, and says what is wrong with it', async () => {
    const { spec, assumptions } = await readBeside(named(tool, 'zero2.json'), { 'zero2.json': '{' })
    expect(spec?.sharding).toBe('zero2')
    expect(assumptions).toContain(
      'ZeRO stage 2: read from the name of "zero2.json"; "zero2.json" cannot be parsed at line 1.',
    )
  })

  it('is to be corrected where its name tells nothing', async () => {
    expect(await trouble('ds.json', { 'ds.json': '[]' })).toMatchObject([
      {
        message:
          'The ZeRO stage cannot be determined: "ds.json" is not a single mapping, and the name "ds.json" does not say it',
        fix: 'Correct that file, name the stage in the file name (zero2.json), or write the DeepSpeed settings here.',
      },
    ])
  })

  it('is not opened outside the repository', async () => {
    const { spec, assumptions, asked } = await readBeside(named(tool, '/data/zero3.json'))
    expect({ sharding: spec?.sharding, asked }).toEqual({ sharding: 'zero3', asked: [] })
    expect(assumptions).toContain(
      'ZeRO stage 3: read from the name of "/data/zero3.json"; files outside the repository are not read.',
    )
    expect(await trouble('../../ds.json')).toMatchObject([
      {
        message:
          'The ZeRO stage cannot be determined: files outside the repository are not read, and the name "../../ds.json" does not say it',
      },
    ])
  })

  it('has its own mistakes told at their place', async () => {
    expect(await trouble('ds_z3.json', { 'ds_z3.json': '{\n "zero_optimization": {"stage": 4}\n}' })).toMatchObject([
      { code: 'out-of-range', file: 'ds_z3.json', line: 2, column: 33, field: 'zero_optimization.stage' },
    ])
  })
})

describe('nothing is looked for', () => {
  it.each([
    ['without a name', 'Hugging Face Trainer', ''],
    ['by a name that is filled in later', 'Hugging Face Trainer', `\${DS_CONFIG}`],
    ['where the settings stand in place', 'Hugging Face Trainer', '{zero_optimization: {stage: 2}}'],
    ['without a name', 'Axolotl', ''],
    ['without a name', 'LLaMA-Factory', ''],
    ['without a name', 'LLaMA-Factory v1', '""'],
  ] as const)('%s (%s)', async (_, tool, value) => {
    expect((await readBeside(named(tool, value))).asked).toEqual([])
  })

  it('where LLaMA-Factory v1 shards by FSDP', async () => {
    const text = named('LLaMA-Factory v1', 'zero3.json').replace('name: deepspeed', 'name: fsdp2')
    expect(await readBeside(text)).toMatchObject({ asked: [], spec: { sharding: 'fsdp' } })
  })
})

describe('what the content says', () => {
  it('stage 0 shards nothing', async () => {
    const { spec, assumptions } = await readFrom('Hugging Face Trainer', stage(0))
    expect(spec?.sharding).toBeUndefined()
    expect(assumptions).toContain('ZeRO stage 0: read from "configs/ds.json".')
  })

  it('auto is left to the training arguments', async () => {
    const auto = stage(2, { bf16: { enabled: 'auto' }, fp16: { enabled: 'auto' }, train_batch_size: 'auto' })
    const { spec } = await readFrom('Hugging Face Trainer', auto)
    expect(spec).toMatchObject({ sharding: 'zero2', microBatch: 16, precision: 'bf16-master' })
  })

  it('auto as a device is none, which accelerate makes of it', async () => {
    const device = { zero_optimization: { stage: 3, offload_optimizer: { device: 'auto' } } }
    expect((await readFrom('Hugging Face Trainer', JSON.stringify(device))).spec?.offload).toBeUndefined()
  })

  it("Axolotl's own zero2.json offloads, unless the repository has another", async () => {
    const text = named('Axolotl', 'deepspeed_configs/zero2.json')
    const theirs = await readBeside(text)
    expect(theirs.spec).toMatchObject({ sharding: 'zero2', offload: 'optimizer' })
    const own = await readBeside(text, { 'deepspeed_configs/zero2.json': stage(2) })
    expect(own.spec).toMatchObject({ sharding: 'zero2' })
    expect(own.spec?.offload).toBeUndefined()
    expect(own.assumptions.join(' ')).not.toContain("Axolotl's own")
  })
})

describe('16 bits, where DeepSpeed has its own switch', () => {
  const silent = (tool: Tool) => named(tool, 'configs/ds.json').replace('bf16: true\n', '')
  const on = { 'configs/ds.json': stage(2, { bf16: { enabled: true } }) }

  it.each(['Hugging Face Trainer', 'LLaMA-Factory'] as const)('are read from it where %s says nothing', async tool => {
    const { spec, decisions } = await readBeside(silent(tool), on)
    expect(spec?.precision).toBe('bf16-master')
    expect(decisions.find(({ setting }) => setting === 'precision')?.from).toMatchObject({
      field: { file: 'configs/ds.json', name: 'bf16.enabled' },
    })
    const off = { 'configs/ds.json': stage(2, { bf16: { enabled: 'auto' } }) }
    expect((await readBeside(silent(tool), off)).spec?.precision).toBe('fp32')
  })

  it('are read from a mapping written in place as well', async () => {
    const text = silent('Hugging Face Trainer').replace(
      'configs/ds.json',
      '{zero_optimization: {stage: 2}, bf16: {enabled: true}}',
    )
    expect((await readBeside(text)).spec?.precision).toBe('bf16-master')
  })

  it.each(['Hugging Face Trainer', 'LLaMA-Factory'] as const)(
    'are refused where %s and its file contradict each other, since that does not start',
    async tool => {
      const text = named(tool, 'configs/ds.json').replace('bf16: true', 'bf16: false')
      expect((await readBeside(text, on)).reading).toMatchObject({
        kind: 'unreadable',
        problems: [
          {
            code: 'precision-conflict',
            message: 'bf16 is off here and on in "configs/ds.json", so the training would not start',
            fix: 'Make both the same, or set bf16.enabled to "auto" there.',
          },
        ],
      })
    },
  )

  const v1 = (others: object, number = 3) => readFrom('LLaMA-Factory v1', stage(number, others))

  it.each([
    ['nothing', {}, 3, 'bf16-master'],
    ['auto', { bf16: { enabled: 'auto' }, fp16: { enabled: 'auto' } }, 3, 'bf16-master'],
    ['bf16 on', { bf16: { enabled: true }, fp16: { enabled: false } }, 3, 'bf16-master'],
    ['bf16 off', { bf16: { enabled: false } }, 3, 'fp32'],
    ['fp16 off', { fp16: { enabled: false } }, 3, 'fp32'],
    ['bf16 off, under ZeRO-2', { bf16: { enabled: false } }, 2, 'bf16-master'],
  ])('in LLaMA-Factory v1 follow from %s', async (_, others, number, precision) => {
    expect((await v1(others, number)).spec?.precision).toBe(precision)
  })

  it('in LLaMA-Factory v1 are never fp16', async () => {
    expect((await v1({ fp16: { enabled: true } })).reading).toMatchObject({
      problems: [{ code: 'unsupported-precision', file: 'configs/ds.json', field: 'fp16.enabled' }],
    })
  })
})

describe("DeepSpeed's sizes", () => {
  it('bucket sizes are read; "auto" is the Trainer\'s to fill in, and what is left out DeepSpeed\'s', async () => {
    const zero_optimization = { stage: 3, reduce_bucket_size: 'auto', stage3_max_live_parameters: 2e8 }
    const { spec } = await readFrom('Hugging Face Trainer', JSON.stringify({ zero_optimization }))
    expect(spec?.zero).toEqual({
      prefetchBucket: 5e7,
      persistenceThreshold: 1e5,
      maxLiveParameters: 2e8,
      maxReuseDistance: 1e9,
      subGroup: 1e9,
      overlapsCommunication: true,
    })
  })

  it('a bucket size that is no number is refused where it stands', async () => {
    const zero_optimization = { stage: 2, reduce_bucket_size: 'huge' }
    const { reading } = await readFrom('Hugging Face Trainer', JSON.stringify({ zero_optimization }, null, 1))
    expect(reading).toMatchObject({ kind: 'unreadable', problems: [{ file: 'configs/ds.json', line: 4 }] })
  })
})

describe('how many GPUs', () => {
  it.each([
    ['Hugging Face Trainer', stage(3), 8],
    ['Axolotl', stage(2), 8],
    ['LLaMA-Factory', stage(1), 8],
    ['LLaMA-Factory v1', stage(3), 8],
    ['Hugging Face Trainer', stage(0), 1],
  ] as const)('%s with %s: %d unless the config says', async (tool, text, gpus) => {
    const { spec, assumptions } = await readFrom(tool, text)
    expect(spec?.gpus).toBe(gpus)
    expect(assumptions.some(sentence => sentence.startsWith('8 GPUs: the config divides'))).toBe(gpus === 8)
  })

  it('FSDP is for several too, whichever of its strategies it is', () => {
    for (const strategy of ['full_shard', 'shard_grad_op']) {
      const text = `model_name_or_path: gpt2\nper_device_train_batch_size: 2\nfsdp: ${strategy}\n`
      expect(specOf(recognised(text))).toMatchObject({ gpus: 8 })
    }
  })
})

function recognised(text: string) {
  const explanation = explainConfig({ path: 'train.yaml', text })
  if (explanation.kind !== 'recognised') throw new Error('not recognised')
  return explanation
}

describe("what DeepSpeed's file sets and is not counted", () => {
  const namedIn = async (settings: object, tool: Tool = 'LLaMA-Factory') => {
    const { reading } = await readFrom(tool, JSON.stringify(settings))
    return reading.kind === 'training-config' ? reading.unreadSettings?.map(({ name }) => name) : reading.kind
  }
  const zero = (others: object) => ({ zero_optimization: { stage: 3, ...others } })

  it.each([
    ['zero_optimization.zero_hpz_partition_size', zero({ zero_hpz_partition_size: 8 })],
    ['zero_optimization.mics_shard_size', zero({ mics_shard_size: 4 })],
    ['zero_optimization.zero_quantized_weights', zero({ zero_quantized_weights: true })],
    ['zero_optimization.offload_optimizer.ratio', zero({ offload_optimizer: { device: 'cpu', ratio: 0.4 } })],
    ['data_types.grad_accum_dtype', { ...zero({}), data_types: { grad_accum_dtype: 'fp32' } }],
    ['bf16.bf16_optimizer_states', { ...zero({}), bf16: { enabled: true, bf16_optimizer_states: true } }],
    ['tensor_parallel.autotp_size', { ...zero({}), tensor_parallel: { autotp_size: 2 } }],
    ['optimizer.type', { ...zero({}), optimizer: { type: 'OneBitAdam' } }],
  ])('%s is named with the file', async (name, settings) => {
    for (const tool of toolNames) expect(await namedIn(settings, tool)).toEqual([`${name} of configs/ds.json`])
  })

  it('leaves what changes nothing unnamed', async () => {
    const usual = zero({ zero_hpz_partition_size: 1, mics_shard_size: -1, zero_quantized_weights: false })
    const types = { data_types: { grad_accum_dtype: 'bf16' }, tensor_parallel: { autotp_size: 1 } }
    expect(await namedIn({ ...usual, ...types, optimizer: { type: 'AdamW', params: { lr: 'auto' } } })).toBeUndefined()
    const partly = { stage: 2, offload_optimizer: { device: 'cpu', ratio: 0.4 } }
    expect(await namedIn({ zero_optimization: partly })).toBeUndefined()
  })

  it("names an Adam that steps in the place of the config's own optimizer", async () => {
    const text = `${named('LLaMA-Factory', 'configs/ds.json')}optim: adamw_bnb_8bit\n`
    const { reading } = await readBeside(text, { 'configs/ds.json': stage(2, { optimizer: { type: 'AdamW' } }) })
    expect(reading).toMatchObject({ unreadSettings: [{ name: 'optimizer.type of configs/ds.json' }] })
  })
})
