/**
 * torchtune: lines of a recipe's config, and the recipe that shards it (torchtune 0.7 recipes/*_distributed.py,
 * *_single_device.py).
 */
import { serversOf } from './servers.ts'
import type { Snippet, Snippeted } from './snippet.ts'

export function torchtuneSnippet({
  microBatch,
  gradientAccumulation,
  gradientCheckpointing,
  gpus,
  spec,
  config,
}: Snippeted): Snippet {
  const lines = [
    `batch_size: ${microBatch}`,
    `gradient_accumulation_steps: ${gradientAccumulation}`,
    `enable_activation_checkpointing: ${gradientCheckpointing}`,
  ]
  return {
    files: [{ path: config, text: lines.join('\n') }],
    command: `tune run${processes(gpus)} ${recipeOf(spec, gpus)} --config ${config}`,
  }
}

function processes(gpus: number): string {
  if (gpus === 1) return ''
  const { servers, each } = serversOf(gpus)
  const several = servers > 1 ? ` --nnodes ${servers} --rdzv_backend c10d --rdzv_endpoint <first server>` : ''
  return ` --nproc_per_node ${each}${several}`
}

/** Fine-tuning on labels has a recipe of each kind; others are named after their method, which the config says. */
function recipeOf({ method, fakeQuantization, lora }: Snippeted['spec'], gpus: number): string {
  const where = gpus === 1 ? 'single_device' : 'distributed'
  if (method !== undefined || fakeQuantization !== undefined) return `<your recipe>_${where}`
  return `${lora === undefined ? 'full' : 'lora'}_finetune_${where}`
}
