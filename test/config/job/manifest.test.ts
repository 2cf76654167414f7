/** The GPU of a verdict, from jobs in YAML that name it by keys of their own. */
import { describe, expect, it, test } from 'vitest'
import { machineOf } from '../../../engine/config/job/instance-types.ts'
import { findGpu } from '../../../engine/gpus/catalogue.ts'
import { judged } from './judged.ts'

const kubernetes = (selector: string, command: string, count = 2) => `apiVersion: batch/v1
kind: Job
metadata: { name: sft }
spec:
  template:
    spec:
      nodeSelector:
        ${selector}
      containers:
        - name: train
          image: pytorch
${command}
          resources:
            limits:
              nvidia.com/gpu: ${count}
`
const asScript =
  '          command: ["/bin/bash", "-c"]\n          args:\n            - |\n              pip install trl\n              accelerate launch sft.py --config sft.yaml'

describe('a manifest of Kubernetes', () => {
  test.each([
    ['as a script', asScript],
    ['as a list of words', '          command: ["accelerate", "launch", "sft.py", "--config", "sft.yaml"]'],
    ['as a line', '          args:\n            - accelerate launch sft.py --config sft.yaml'],
  ])('that starts the config %s says on which GPU, and on how many', async (_, command) => {
    const config = await judged({
      'k8s/sft.yaml': kubernetes('nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB', command),
    })
    expect(config.gpu.id).toBe('a100-80gb')
    expect(config.spec.gpus).toBe(2)
    expect(config.assumptions).toContain('The GPU is the NVIDIA A100 80 GB, from k8s/sft.yaml, line 8.')
    expect(config.assumed).toBeUndefined()
  })

  it('names a GPU by its accelerator on GKE', async () => {
    const selector = 'cloud.google.com/gke-accelerator: nvidia-tesla-a100'
    const config = await judged({ 'k8s/job.yaml': kubernetes(selector, asScript, 1) })
    expect([config.gpu.id, config.spec.gpus]).toEqual(['a100-40gb', 1])
  })

  it('that starts another config, or holds its words on a line each, says nothing', async () => {
    const selector = 'nvidia.com/gpu.product: NVIDIA-L40S'
    const other = asScript.replace('sft.yaml', 'dpo.yaml')
    const words =
      '          command:\n            - accelerate\n            - launch\n            - sft.py\n            - sft.yaml'
    for (const command of [other, words])
      expect((await judged({ 'k8s/job.yaml': kubernetes(selector, command) })).assumed).toContain('gpu')
  })

  it('leaves the number of GPUs open where it runs on several machines', async () => {
    const text = kubernetes('nvidia.com/gpu.product: NVIDIA-L4', asScript).replace(
      'spec:\n  temp',
      'spec:\n  parallelism: 4\n  temp',
    )
    const config = await judged({ 'k8s/job.yaml': text })
    expect([config.gpu.id, config.assumed]).toEqual(['l4', ['gpus']])
  })

  it('that may land on several cards is told, and decides none', async () => {
    const text = `${kubernetes('nvidia.com/gpu.product: NVIDIA-L4', asScript)}---\n${kubernetes('nvidia.com/gpu.product: Tesla-T4', asScript)}`
    const config = await judged({ 'k8s/job.yaml': text })
    expect(config.assumed).toContain('gpu')
    expect(config.assumptions.join()).toContain('of which any may be given')
  })
})

describe('other jobs', () => {
  const run = 'accelerate launch sft.py --config sft.yaml'

  test.each([
    [
      'dstack',
      'train.dstack.yml',
      `type: task\ncommands:\n  - pip install trl\n  - ${run}\nresources:\n  gpu: A100:80GB:4\n`,
      'a100-80gb',
      4,
    ],
    [
      'dstack, in parts',
      'job.yml',
      `type: task\ncommands:\n  - ${run}\nresources:\n  gpu:\n    name: L40S\n    count: 2\n`,
      'l40s',
      2,
    ],
    [
      'Azure ML',
      'azure-job.yml',
      `command: >-\n  x\nresources:\n  instance_type: Standard_NC48ads_A100_v4\nscript: ${run}\n`,
      'a100-80gb',
      2,
    ],
    [
      'a machine of which the card is one, whatever else is called H100',
      'azure-job.yml',
      `command: ${run}\nresources:\n  instance_type: Standard_ND96isr_H100_v5\n  instance_count: 1\n`,
      'h100',
      8,
    ],
    [
      'Vertex, which names the machine and its card',
      'vertex-job.yaml',
      `machineSpec:\n  machineType: g2-standard-48\n  acceleratorType: NVIDIA_L4\n  acceleratorCount: 4\ncommand: ${run}\n`,
      'l4',
      4,
    ],
    ['a machine of AWS', 'job.yaml', `instance_type: ml.p4d.24xlarge\nentrypoint: "${run}"\n`, 'a100-40gb', 8],
  ])('%s', async (_, path, text, gpu, count) => {
    const config = await judged({ [path]: text })
    expect([config.gpu.id, config.spec.gpus]).toEqual([gpu, count])
  })

  it('that name a GPU of which there are two say so, instead of that none is named', async () => {
    const text = `type: task\ncommands:\n  - ${run}\nresources:\n  gpu: A100:1\n`
    const config = await judged({ 'job.dstack.yml': text })
    expect(config.assumed).toEqual(['gpu'])
    expect(config.askedGpu).toContain('job.dstack.yml, line 5, asks for A100, which is the A100 with 40 GB')
  })
})

describe('a step of a workflow', () => {
  it('starts the config with its arguments', async () => {
    const text = `on: push\njobs:\n  train:\n    runs-on: gpu\n    steps:\n      - uses: actions/checkout@v5\n      - name: Train\n        run: |\n          torchrun --nproc_per_node 4 sft.py \\\n            --config sft.yaml --per_device_train_batch_size 2\n`
    const config = await judged({ '.github/workflows/train.yml': text })
    expect([config.spec.microBatch, config.spec.gpus]).toEqual([2, 4])
  })
})

describe('types of machines', () => {
  it('are known by cloud, and others are not guessed', () => {
    expect(machineOf('ml.g6e.12xlarge')).toEqual({ card: 'l40s', count: 4 })
    expect(machineOf('Standard_NC4as_T4_v3')).toEqual({ card: 't4', count: 1 })
    expect(machineOf('a3-highgpu-8g')).toEqual({ card: 'h100', count: 8 })
    expect(machineOf('c7g.xlarge')).toBeUndefined()
    for (const type of ['p3.2xlarge', 'g4dn.xlarge', 'g6.16xlarge', 'p5en.48xlarge', 'a2-ultragpu-4g'])
      expect(findGpu(machineOf(type)?.card ?? '')).toBeDefined()
  })
})
