// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are the shell's
/** Configs of torchtitan and the commands that start it. */
import { describe, expect, it } from 'vitest'
import { isCandidatePath } from '../../../engine/config/candidate-path.ts'
import type { SuppliedFields } from '../../../engine/config/fields/supplied.ts'
import { readConfigAsync } from '../../../engine/config/read.ts'
import { trainedBy } from '../readings.ts'

const toml = `[model]
name = "llama3"
flavor = "8B" # of llama3

[training]
  local_batch_size = 2
seq_len = 8192
`

const read = (text: string, supplied?: SuppliedFields) =>
  readConfigAsync({ path: 'llama3_8b.toml', text }, {}, supplied)
const trained = async (text: string) => trainedBy(await read(text))
const on = (gpus: number) => `${toml}[parallelism]\ndata_parallel_shard_degree = ${gpus}\n`

describe('a config of torchtitan', () => {
  it('is looked for, and shards the blocks of its own model in 16 bits over float32', async () => {
    expect(isCandidatePath('configs/llama3_8b.toml')).toBe(true)
    expect(isCandidatePath('pyproject.toml')).toBe(false)
    const { spec, dialect, batchSizeAt } = await trained(on(16))
    expect(dialect).toBe('torchtitan')
    expect(batchSizeAt).toEqual({ line: 6, column: 22 })
    expect(spec).toMatchObject({
      model: 'meta-llama/Llama-3.1-8B',
      microBatch: 2,
      gradientAccumulation: 1,
      sequenceLength: 8192,
      gpus: 16,
      precision: 'bf16-master',
      sharding: 'fsdp',
      fsdpVersion: 2,
      syncsEveryMicroBatch: true,
      optimizer: 'adamw-fused',
      gradientCheckpointing: true,
      checkpointEvery: 2,
      modelCode: 'torchtitan',
      loop: 'torchtitan',
      paddedBatches: false,
      expandableSegments: true,
    })
    expect(spec.shardedOver).toBeUndefined()
  })

  it('takes eight GPUs where nobody says how many, and more where every block is divided among eight', async () => {
    expect((await trained(toml)).spec).toMatchObject({ gpus: 8, sharding: 'fsdp' })
    const { spec } = await trained(`${toml}[parallelism]\ntensor_parallel_degree = 8\n`)
    expect(spec).toMatchObject({ gpus: 64, sharding: 'fsdp', tensorParallel: { gpus: 8, dividesLoss: true } })
  })

  it.each([
    ['one GPU', on(1), { gpus: 1, precision: 'amp-bf16' }],
    ['copies', `${on(1)}data_parallel_replicate_degree = 4\n`, { gpus: 4, precision: 'amp-bf16', sharding: 'ddp' }],
    ['copies of shards', `${on(4)}data_parallel_replicate_degree = 2\n`, { gpus: 8, sharding: 'fsdp', shardedOver: 4 }],
    ['tensor parallelism alone', `${on(1)}tensor_parallel_degree = 4\n`, { gpus: 4, precision: 'fp32' }],
    [
      'both, and whole logits',
      `${on(2)}tensor_parallel_degree = 4\ndisable_loss_parallel = true\n`,
      { gpus: 8, tensorParallel: { gpus: 4, dividesTokens: true } },
    ],
    ['weights that stay', `${on(4)}fsdp_reshard_after_forward = "never"\n`, { sharding: 'fsdp-grad-op' }],
    ['weights that stay until they are used', `${on(4)}fsdp_reshard_after_forward = "default"\n`, { sharding: 'fsdp' }],
  ])('divides a training as %s', async (_, text, spec) => {
    expect((await trained(text)).spec).toMatchObject(spec)
  })

  it.each([
    ['mode = "none"', { gradientCheckpointing: false }],
    ['mode = "full"', { gradientCheckpointing: true }],
    ['mode = "selective"\nselective_ac_option = "op"', { gradientCheckpointing: true, selectiveCheckpoints: true }],
    ["mode = 'selective'\nselective_ac_option = '3'", { gradientCheckpointing: true, checkpointEvery: 3 }],
    ['mode = "selective"\nselective_ac_option = 2', { gradientCheckpointing: true, checkpointEvery: 2 }],
  ])('checkpoints by %s', async (settings, spec) => {
    const found = (await trained(`${on(8)}[activation_checkpoint]\n${settings}\n`)).spec
    const { gradientCheckpointing, checkpointEvery, selectiveCheckpoints } = found
    expect({ gradientCheckpointing, checkpointEvery, selectiveCheckpoints }).toEqual({
      checkpointEvery: undefined,
      selectiveCheckpoints: undefined,
      ...spec,
    })
  })

  it.each([
    ['[optimizer]\nname = "Adam"\nimplementation = "foreach"\n', { optimizer: 'adamw' }],
    ['[optimizer]\nimplementation = "for-loop"\n', { optimizer: 'adamw-loop' }],
    ['[optimizer]\nfused = false\n', { optimizer: 'adamw' }],
    ['[optimizer]\nearly_step_in_backward = true\n', { optimizerInBackward: true }],
    ['[compile]\nenable = true\n', { compiled: true }],
    ['[compile]\nenable = true\ncomponents = ["model"]\n', { compiled: true, uncompiledLoss: true }],
  ])('is read further: %s', async (settings, spec) => {
    expect((await trained(`${on(8)}${settings}`)).spec).toMatchObject(spec)
  })

  it('computes linear layers in 8 bits where it compiles', async () => {
    const float8 = toml.replace('flavor', 'converters = ["quantize.linear.float8"]\nflavor')
    expect((await trained(`${float8}[compile]\nenable = true\n`)).spec.float8).toBe(true)
    expect(await read(float8)).toMatchObject({ kind: 'unreadable', problems: [{ field: 'model.converters' }] })
  })

  it('accumulates up to its global batch', async () => {
    const text = on(4).replace('seq_len', 'global_batch_size = 32\nseq_len')
    expect((await trained(text)).spec).toMatchObject({ microBatch: 2, gradientAccumulation: 4 })
    expect(await read(text.replace('32', '12'))).toMatchObject({ problems: [{ code: 'batch-mismatch' }] })
    expect((await trained(text.replace('32', '-1'))).spec.gradientAccumulation).toBe(1)
  })

  it('is read by the names that settings had before', async () => {
    const text = `[model]\nflavor = "70B"\nnorm_type = "rmsnorm"\n[training]\nbatch_size = 3\nseq_len = 4096\ndata_parallel_shard_degree = 4\ntensor_parallel_degree = 2\ncompile = true\n[experimental]\npipeline_parallel_degree = 1\n[float8]\nenable_float8_linear = true\n[activation_checkpoint]\nmode = 'full'\n`
    const { spec } = await trained(text)
    expect(spec).toMatchObject({
      model: 'meta-llama/Llama-3.1-70B',
      microBatch: 3,
      gpus: 8,
      compiled: true,
      float8: true,
      tensorParallel: { gpus: 2 },
    })
  })

  it.each([
    ['7B', 'meta-llama/Llama-2-7b-hf'],
    ['13B', 'meta-llama/Llama-2-13b-hf'],
  ])('has the flavors of Llama 2 of early releases: %s', async (flavor, model) => {
    const text = `[model]\nname = "llama2"\nflavor = "${flavor}"\n[training]\nbatch_size = 2\nseq_len = 2048\n`
    expect((await trained(text)).spec).toMatchObject({ model, microBatch: 2 })
  })

  it.each([
    ['no value', 'steps = ', { line: 8, column: 9 }],
    ['a table that is set twice', '[model]\nname = "llama3"', { line: 8, column: 2 }],
  ])('that does not parse is told with the place: %s', async (_, text, at) => {
    expect(await read(`${toml}${text}\n`)).toMatchObject({
      kind: 'unreadable',
      problems: [
        { code: 'not-toml', file: 'llama3_8b.toml', ...at, message: expect.stringMatching(/^Not valid TOML: \w/) },
      ],
    })
  })

  it('says where a value stands, whatever other tables have of the same name', async () => {
    const validation = '[validation]\nlocal_batch_size = 4\n'
    expect((await trained(`${validation}${toml}`)).batchSizeAt).toEqual({ line: 8, column: 22 })
    expect((await trained(`${toml}${validation}`)).batchSizeAt).toEqual({ line: 6, column: 22 })
  })

  it('names what looks like a setting of memory and is not known', async () => {
    const { unreadSettings } = await trained(`${toml}weight_dtype = "int4"\n[quantize.linear.float8]\nemulate = true\n`)
    expect(unreadSettings).toEqual([{ name: 'training.weight_dtype', at: { line: 8, column: 16 } }])
  })

  it('names a vocabulary of a fork’s own, of which the logits are', async () => {
    const { unreadSettings } = await trained(`${toml}vocab_size = 256\n`)
    expect(unreadSettings).toEqual([{ name: 'training.vocab_size', at: { line: 8, column: 14 } }])
  })
})

describe('what torchtitan has and nobody has compared is refused by name', () => {
  it.each([
    ['flavor = "8B"', 'flavor = "13B"', 'model.flavor'],
    ['flavor = "8B"', 'flavor = "debugmodel"', 'model.flavor'],
    ['flavor = "8B"', 'flavor = "8B_flex"', 'model.flavor'],
    ['name = "llama3"', 'name = "deepseek_v3"', 'model.flavor'],
    ['seq_len', 'enable_cpu_offload = true\nseq_len', 'training.enable_cpu_offload'],
    ['seq_len', 'dtype = "bfloat16"\nseq_len', 'training.dtype'],
  ])('%s → %s', async (written, other, field) => {
    expect(await read(toml.replace(written, other))).toMatchObject({ kind: 'unreadable', problems: [{ field }] })
  })

  it.each([
    ['[parallelism]\npipeline_parallel_degree = 2\n', 'parallelism.pipeline_parallel_degree'],
    ['[experimental]\ncontext_parallel_degree = 4\n', 'experimental.context_parallel_degree'],
    ['[parallelism]\nfsdp_reshard_after_forward = "always"\n', 'parallelism.fsdp_reshard_after_forward'],
    ['[activation_checkpoint]\nmode = "memory_budget"\n', 'activation_checkpoint.mode'],
    ['[compile]\nenable = true\ncomponents = ["loss"]\n', 'compile.components'],
    ['[optimizer]\nname = "Muon"\n', 'optimizer.name'],
    ['[fault_tolerance]\nenable = true\n', 'fault_tolerance.enable'],
    ['[experimental]\ncustom_import = "ours.models"\n', 'experimental.custom_import'],
  ])('%s', async (text, field) => {
    expect(await read(`${toml}${text}`)).toMatchObject({ kind: 'unreadable', problems: [{ field }] })
  })

  it('degrees that are not the number of GPUs', async () => {
    const gpus = {
      key: 'gpus',
      name: 'gpus',
      value: { kind: 'number', number: 6 },
      at: { line: 1, column: 1 },
      source: '6',
    } as const
    expect(await read(on(4), { gpus })).toMatchObject({ problems: [{ code: 'gpus-mismatch' }] })
  })
})

describe('other TOML', () => {
  it.each([
    ['empty lines', `${toml}${'\n'.repeat(490_000)}`, 'training-config'],
    ['spaces', `${toml}${' '.repeat(490_000)}`, 'training-config'],
    ['spaces before a key', `${toml}${' '.repeat(490_000)}x`, 'unreadable'],
    ['brackets in each other', `${toml}key = ${'['.repeat(400_000)}\n`, 'unreadable'],
    ['tables in each other', `${toml}[${'a.'.repeat(200_000)}a]\nkey = 1\n`, 'training-config'],
    ['more than is read', `${toml}${' '.repeat(900_000)}`, 'not-a-training-config'],
  ])('with %s keeps nobody waiting', async (_, text, kind) => {
    expect((await read(text)).kind).toBe(kind)
  })

  it.each([
    ['another table', toml.replace('training', 'queue')],
    ['no flavor', toml.replace('flavor', 'kind')],
    ['a text that goes over lines', `[notes]\ntext = """\n${toml.replaceAll(/^/gm, '> ')}"""\n`],
  ])('with %s is no config', async (_, text) => {
    expect((await read(text)).kind).toBe('not-a-training-config')
  })
})

describe('a command of torchtitan', () => {
  const launched = async (script: string, path = 'conf/a.toml', name = 'train.sh') => {
    const files: Record<string, string> = { [path]: toml, [name]: script }
    const sources = {
      readFile: async (each: string) => files[each],
      listFolder: async (folder: string) => (folder === '.' ? [name] : []),
    }
    return trainedBy(await readConfigAsync({ path, text: toml }, sources)).spec
  }

  it.each([
    [
      'torchrun --nproc_per_node=4 --rdzv_backend c10d -m torchtitan.train --job.config_file conf/a.toml --training.local_batch_size 3\n',
      { gpus: 4, microBatch: 3 },
    ],
    [
      'torchrun --nnodes 4 --nproc-per-node 8 train.py --job.config-file ./conf/a.toml --training.global_batch_size=256\n',
      { gpus: 32, gradientAccumulation: 4 },
    ],
    [
      'CONFIG_FILE="./conf/a.toml" NGPU=16 ./run_train.sh --parallelism.tensor_parallel_degree 2 --compile.enable\n',
      { gpus: 16, compiled: true, tensorParallel: { gpus: 2 } },
    ],
    [
      'NGPU=${NGPU:-"8"}\nCONFIG_FILE=${CONFIG_FILE:-"./conf/a.toml"}\ntorchrun --nproc_per_node=${NGPU} --local-ranks-filter 0 -m torchtitan.train --job.config_file ${CONFIG_FILE} "$@"\n',
      { gpus: 8, microBatch: 2 },
    ],
  ])('joins what it overrides to the config that it names: %s', async (script, spec) => {
    expect(await launched(script)).toMatchObject(spec)
  })

  it('that says all by itself is a config', async () => {
    const text =
      'torchrun --nproc_per_node 8 -m torchtitan.train --model.name llama3 --model.flavor 70B \\\n  --training.local_batch_size 4 --parallelism.tensor_parallel_degree 4\n'
    const { spec, batchSizeAt } = trainedBy(await readConfigAsync({ path: 'run.sh', text }, {}))
    expect(spec).toMatchObject({ model: 'meta-llama/Llama-3.1-70B', microBatch: 4, gpus: 8, sharding: 'fsdp' })
    expect(batchSizeAt).toEqual({ line: 2, column: 31 })
  })

  it('of a release whose settings are Python is refused by name', async () => {
    const text = 'torchrun --nproc_per_node=8 -m torchtitan.train --module llama3 --config llama3_8b'
    expect(await readConfigAsync({ path: 'run.sh', text: `${text}\n` }, {})).toMatchObject({
      kind: 'not-a-training-config',
      why: 'It starts torchtitan after 0.2.2 (torchrun, line 1), whose settings are not read yet.',
    })
    expect(
      await readConfigAsync({ path: 'run.sh', text: `${text} --training.local_batch_size 2\n` }, {}),
    ).toMatchObject({ kind: 'unreadable', problems: [{ code: 'unsupported-training' }] })
  })

  it('that checks a configuration without one is none', async () => {
    const text = 'python -m torchtitan.tools.estimate --job.dump_folder out\n'
    expect((await readConfigAsync({ path: 'run.sh', text }, {})).kind).toBe('not-a-training-config')
  })
})
