import { describe, expect, it } from 'vitest'
import { readConfig } from '../../../engine/config/read.ts'
import { onlyProblemIn, problemsIn, trainingConfig } from '../readings.ts'

describe('a config of the Lightning CLI', () => {
  const config = (trainer: string) => `trainer:
  max_epochs: 3
  ${trainer}
model:
  class_path: acme.Classifier
  init_args:
    model_name_or_path: google-bert/bert-base-uncased
data:
  class_path: acme.Tickets
  init_args:
    batch_size: 32
    max_length: 256
`

  it('becomes a spec', () => {
    expect(trainingConfig(config('accumulate_grad_batches: 4'))).toMatchObject({
      dialect: 'Lightning CLI',
      batchSizeAt: { line: 11, column: 17 },
      gradientAccumulationAt: { line: 3, column: 28 },
      spec: { microBatch: 32, gradientAccumulation: 4, sequenceLength: 256, precision: 'fp32', loop: 'lightning' },
    })
  })

  it.each([
    ['32-true', 'fp32'],
    ['16-mixed', 'amp-fp16'],
    ['16', 'amp-fp16'],
    ['bf16-mixed', 'amp-bf16'],
    ['bf16-true', 'bf16'],
  ])('of precision %s holds %s', (written, precision) => {
    expect(trainingConfig(config(`precision: ${written}`)).spec.precision).toBe(precision)
  })

  it.each([
    ['16-mixed', true],
    ['bf16-mixed', undefined],
  ])('divides parameters of precision %s in float16: %s', (written, inFloat16) => {
    const { spec } = trainingConfig(config(`precision: ${written}\n  strategy: fsdp\n  devices: 2`))
    expect([spec.precision, spec.inFloat16]).toEqual(['bf16-master', inFloat16])
  })

  it.each([
    ['devices: 4', 4],
    ['devices: [0, 1]', 2],
    ['devices: auto', 1],
    ['devices: -1', 1],
    ["devices: '0,1'", 2],
    ["devices: '3,'", 1],
    ['gpus: 2', 2],
  ])('with %s trains on %i GPUs', (devices, gpus) => {
    expect(trainingConfig(config(devices)).spec.gpus).toBe(gpus)
  })

  it.each(['accelerator: cpu', 'accelerator: mps', 'accelerator: tpu'])('with %s gets no verdict for a GPU', line => {
    expect(onlyProblemIn(config(line))).toMatchObject({ code: 'not-on-gpu', line: 3, column: 16 })
  })

  it.each(['accelerator: gpu', 'accelerator: auto', 'accelerator: ddp'])('with %s trains on a GPU', line => {
    expect(trainingConfig(config(line)).spec.gpus).toBe(1)
  })

  it.each(['ddp_find_unused_parameters_false', 'ddp_notebook', 'single_device'])(
    'under %s shards nothing',
    strategy => {
      expect(trainingConfig(config(`strategy: ${strategy}`)).spec.sharding).toBeUndefined()
    },
  )

  it('has the batch size of the loader that trains, where each loader has settings of its own', () => {
    const text = config('devices: 1').replace(
      '    batch_size: 32\n',
      `    val_params:
      class_path: acme.Loader
      init_args:
        batch_size: 64
    train_params:
      class_path: acme.Loader
      init_args:
        batch_size: 16
`,
    )
    expect(trainingConfig(text)).toMatchObject({ batchSizeAt: { line: 18, column: 21 }, spec: { microBatch: 16 } })
  })

  it('of several subcommands is read for the one that trains', () => {
    const text = `fit:\n  ${config('precision: bf16-mixed').trimEnd().replaceAll('\n', '\n  ')}\ntest:\n  ckpt_path: best\n`
    expect(trainingConfig(text)).toMatchObject({
      batchSizeAt: { line: 12, column: 19 },
      spec: { microBatch: 32, precision: 'amp-bf16' },
    })
  })

  it('is known by the classes of model and data where its trainer sets nothing that weighs', () => {
    const text = config('limit_val_batches: 0.25').replace('  max_epochs: 3\n', '')
    expect(trainingConfig(text).spec.microBatch).toBe(32)
    expect(
      readConfig({ path: 'a.yaml', text: text.replace('  class_path: acme.Classifier\n  init_args:\n', '') }).kind,
    ).toBe('not-a-training-config')
  })

  it('has the values that it refers to within the file', () => {
    const text = config('devices: 1')
      .replace('model_name_or_path: google-bert/bert-base-uncased', `model_name_or_path: \${data.init_args.model}`)
      .replace('    max_length: 256', '    model: google-bert/bert-base-uncased\n    max_length: 256')
    expect(trainingConfig(text)).toMatchObject({ model: { id: 'google-bert/bert-base-uncased' } })
  })

  it('whose model is a class of its own is told what to add', () => {
    const text = config('precision: 32-true').replace(
      '    model_name_or_path: google-bert/bert-base-uncased',
      '    width: 3',
    )
    expect(onlyProblemIn(text)).toMatchObject({
      code: 'model-not-in-file',
      message: 'The model cannot be determined from the file: "acme.Classifier" is a class in your code',
      line: 5,
    })
  })
})

describe('a backbone in a config of the Lightning CLI', () => {
  const config = (backbone: string) =>
    `trainer: {max_epochs: 3}\nmodel: {class_path: acme.Task, init_args: {model: unet, backbone: ${backbone}}}\ndata: {class_path: acme.Tiles, init_args: {batch_size: 4}}\n`

  it('is not the model: it may be an encoder inside one', () => {
    expect(onlyProblemIn(config('resnet50')).code).toBe('model-not-in-file')
  })

  it('is the model where it is an id of the Hub', () => {
    expect(trainingConfig(config('microsoft/resnet-50')).spec).toMatchObject({
      model: 'microsoft/resnet-50',
      microBatch: 4,
    })
  })
})

describe('a config of timm', () => {
  const config = 'model: resnet50.a1_in1k\nbatch-size: 256\nepochs: 90\nopt: sgd\nsched: cosine\nsmoothing: 0.1\n'

  it('names a ResNet as the Hub does not', () => {
    expect(trainingConfig(`${config}amp: true\n`)).toMatchObject({
      dialect: 'timm',
      batchSizeAt: { line: 2, column: 13 },
      spec: {
        model: 'microsoft/resnet-50',
        microBatch: 256,
        imageSize: 224,
        optimizer: 'sgd-momentum',
        precision: 'amp-fp16',
      },
    })
  })

  it('that leaves the model to the command line is told what to add', () => {
    const text = config.replace('model: resnet50.a1_in1k\n', 'mixup: 0.8\n')
    expect(problemsIn(`${text}reprob: 0.25\n`)).toMatchObject([{ code: 'model-not-in-file' }])
    expect(readConfig({ path: 'a.yaml', text }).kind).toBe('not-a-training-config')
  })

  it('of a model that the catalogue lacks is told so', () => {
    expect(onlyProblemIn(config.replace('resnet50.a1_in1k', 'convnext_tiny'))).toMatchObject({
      code: 'unknown-model',
      line: 1,
    })
  })
})

describe('a config that Hydra composes', () => {
  it('is told which files hold the rest', () => {
    const text = 'defaults:\n  - _self_\n  - model: vit\n  - data: cars\nbatch_size: 8\nlr: 0.1\n'
    expect(onlyProblemIn(text)).toMatchObject({
      code: 'composed-by-hydra',
      message: 'The model cannot be determined from the file: Hydra composes it from model: vit, data: cars',
      line: 2,
    })
  })
})

describe('a defaults list that names no other file for the training', () => {
  const keys = 'model: {name: gpt2}\ntraining: {batch_size: 8, learning_rate: 1.0e-4, max_epochs: 2}\n'
  it.each([
    ['[_self_]', 'training-config'],
    ['[_self_, {override hydra/launcher: basic}]', 'training-config'],
    ['[_self_, {model: large}]', 'unreadable'],
    ['[base]', 'unreadable'],
  ])('leaves %s a whole config or not', (list, kind) => {
    const text = `defaults: ${list}\n${keys}lr: 1.0e-4\n`
    expect(readConfig({ path: 'config.yaml', text }).kind).toBe(kind)
  })
})

describe('launch settings of Accelerate', () => {
  it('are no training config, and say why', () => {
    const text = 'compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nmixed_precision: bf16\nnum_processes: 8\n'
    expect(readConfig({ path: 'fsdp.yaml', text })).toEqual({
      kind: 'not-a-training-config',
      why: 'It holds launch settings of Accelerate (8 processes, mixed precision "bf16", FSDP) but no batch size: MemoryMark checks the script\'s own config instead.',
    })
  })
})
