/** What a run left behind is no config, and a config is not taken for what a run left behind. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../../../engine/config/read.ts'

const other = new URL('../../../bench/configs/other/', import.meta.url)
const records = [
  ['wandb/run-20260102_030405-k3x9q2ab/files/config.yaml', 'by Weights & Biases'],
  ['wandb-values.yaml', 'by Weights & Biases'],
  ['run-manifest.json', 'created_at (line 3) says when it was, beside run_id (line 2)'],
  ['training_export.json', 'exported_at (line 2) says when it was, beside status (line 3)'],
  ['training-curve.json', 'timestamp (line 2) says when it was, beside training_time_s (line 4)'],
  ['tinker-run.json', 'log_path (line 2) is of the arguments that Tinker'],
  ['run-results.yaml', 'results.train_loss (line 5) was measured in one'],
] as const

describe('a record of a run', () => {
  it.each(records)('is not a training config: %s', (path, why) => {
    const reading = readConfig({ path, text: readFileSync(new URL(path, other), 'utf8') })
    expect(reading.kind).toBe('not-a-training-config')
    if (reading.kind === 'not-a-training-config') expect(reading.why).toContain(why)
  })

  it('is one that Ultralytics wrote beside its results, and not what it was started with', () => {
    const config = 'mode: train\nmodel: yolo11n.pt\ndata: coco.yaml\nepochs: 3\nbatch: 16\nimgsz: 640\n'
    const kindOf = (text: string) => readConfig({ path: 'runs/detect/train/args.yaml', text }).kind
    expect(kindOf(`${config}save_dir: runs/detect/train\n`)).toBe('not-a-training-config')
    expect(kindOf(`${config}save_dir: null\n`)).toBe('training-config')
  })

  it('is one where it holds the settings of adapters that a training saved', () => {
    const arguments_ = { model_name_or_path: 'gpt2', per_device_train_batch_size: 8 }
    const kindWith = (inference_mode: boolean) => {
      const adapter_config = { peft_type: 'LORA', inference_mode, r: 8 }
      return readConfig({ path: 'runs/summary.json', text: JSON.stringify({ adapter_config, ...arguments_ }) }).kind
    }
    expect(kindWith(true)).toBe('not-a-training-config')
    expect(kindWith(false)).not.toBe('not-a-training-config')
  })

  it('is one where Python wrote what is no number, and where ms-swift wrote its own arguments', () => {
    const measured = '{ "best_val_loss": Infinity, "timestamp": "2026-01-02T03:04:05", "run_id": "a", "config": '
    const own =
      '"model": "Qwen/Qwen3-8B", "dataset": ["data.jsonl"], "tuner_type": "lora", "per_device_train_batch_size": 2'
    for (const text of [`${measured}{ ${own} } }`, `{ ${own}, "swift_version": "4.1.1" }`])
      expect(readConfig({ path: 'output/args.json', text })).toMatchObject({
        kind: 'not-a-training-config',
        why: expect.stringContaining('record of a run'),
      })
    expect(readConfig({ path: 'args.json', text: `{ ${own} }` }).kind).toBe('training-config')
  })

  it('is one in the folder of a log for TensorBoard, by Lightning or accelerate, or of Hydra', () => {
    const text = 'model_name_or_path: gpt2\nper_device_train_batch_size: 8\n'
    const kindOf = (path: string) => readConfig({ path, text }).kind
    for (const path of [
      'lightning_logs/version_3/hparams.yaml',
      'logs/sft/1700182436.0744355/hparams.yml',
      'out/.hydra/config.yaml',
    ])
      expect(kindOf(path)).toBe('not-a-training-config')
    for (const path of ['hparams.yaml', 'configs/hparams.yml', 'configs/version_3/train.yaml', 'hydra/config.yaml'])
      expect(kindOf(path)).toBe('training-config')
  })

  it('is one where JSON stands among results', () => {
    const text = JSON.stringify({
      manifest: { config: { model_name_or_path: 'gpt2', per_device_train_batch_size: 8 } },
    })
    for (const path of ['results/v2/seed2025.json', 'runs/sft_metrics.json', 'all_results.json'])
      expect(readConfig({ path, text })).toMatchObject({ why: expect.stringContaining('stands among results') })
    const own = JSON.stringify({ model_name_or_path: 'gpt2', per_device_train_batch_size: 8 })
    expect(readConfig({ path: 'configs/results-of-gpt2/train.json', text: own }).kind).toBe('training-config')
  })

  it('is one by mlx-lm beside its adapters, and one by its name that says when it trained', () => {
    const mlx = '{ "model": "mlx-community/gemma-3-4b-it-4bit", "batch_size": 1, "iters": 600, "learning_rate": 1e-05 }'
    const when =
      '{ "training_date": "2026-01-09T18:15:02", "model_name": "gpt2", "batch_size": 2, "learning_rate": 1e-05 }'
    const record = { kind: 'not-a-training-config', why: expect.stringContaining('record of a run') }
    expect(readConfig({ path: 'out/adapter_config.json', text: mlx })).toMatchObject(record)
    expect(readConfig({ path: 'out/training_metadata.json', text: when })).toMatchObject(record)
    expect(readConfig({ path: 'config.json', text: when }).kind).toBe('training-config')
  })

  it('is one where it tells the versions that ran, beside the moment', () => {
    const arguments_ = { training: { per_device_train_batch_size: 1 }, model_name_or_path: 'gpt2' }
    const kindWith = (more: object) =>
      readConfig({ path: 'runs/run_metadata.json', text: JSON.stringify({ config: arguments_, ...more }) }).kind
    const versions = { torch: '2.8.0', trl: '0.24.0' }
    expect(kindWith({ created_at: '2026-01-02T03:04:05', versions })).toBe('not-a-training-config')
    expect(kindWith({ versions })).not.toBe('not-a-training-config')
  })

  it('is one where JSON holds two figures that only a run can have measured', () => {
    const own = '"model_name_or_path": "gpt2", "per_device_train_batch_size": 4'
    const kind = (more: string, path = 'outputs/train.json') => readConfig({ path, text: `{ ${own}, ${more} }` }).kind
    expect(kind('"wall_clock_sec": 773.6, "peak_cuda_memory_gb": 11.2')).toBe('not-a-training-config')
    expect(kind('"train_loss_final": 0.8, "peak_memory_gb": "unknown"')).toBe('training-config')
  })

  it('is one by its folder in whatever shape W&B wrote it', () => {
    const text = 'model_name_or_path: gpt2\nper_device_train_batch_size: 8\n'
    for (const folder of ['wandb/run-1-a/files/', 'runs/wandb/latest-run/files/', 'wandb/k3x9q2ab/'])
      expect(readConfig({ path: `${folder}config.yaml`, text }).kind).toBe('not-a-training-config')
  })
})

describe('a training config', () => {
  const own = 'model_name_or_path: gpt2\nper_device_train_batch_size: 8\n'

  it.each([
    ['train.yaml', 'wandb: { project: sft }\n'],
    ['train.yaml', 'created_at: 2026-01-02T03:04:05Z\n'],
    ['train.yaml', 'timestamp: true\nmetrics: [eval_loss, accuracy]\n'],
    ['train.yaml', 'created_at: yesterday\nrun_id: sft-42\n'],
    ['train.yaml', 'metrics: { eval_loss: min }\n'],
    ['train.yaml', 'run_id: sft-42\nresults_dir: results\nstatus: draft\n'],
    ['configs/wandb.yaml', 'report_to: wandb\n'],
    ['configs/wandb/large.yaml', 'report_to: wandb\n'],
  ])('is still read in %s with %j', (path, more) => {
    expect(readConfig({ path, text: own + more }).kind).toBe('training-config')
  })
})
