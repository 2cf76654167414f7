/** What TensorFlow.js can train of what a spec can say. */
import type { Optimizer, TrainingSpec } from '../../config/spec.ts'
import type { Problem } from '../../errors.ts'

export type TfjsOptimizer = 'adam' | 'sgd' | 'momentum'

/** TensorFlow.js has no decoupled weight decay; Adam keeps the same state and makes the same temporaries. */
const counterparts: Partial<Record<Optimizer, TfjsOptimizer>> = {
  adamw: 'adam',
  'adamw-fused': 'adam',
  'adamw-loop': 'adam',
  sgd: 'sgd',
  'sgd-momentum': 'momentum',
}

export type Support =
  | { readonly kind: 'supported'; readonly optimizer: TfjsOptimizer }
  | { readonly kind: 'unsupported'; readonly problem: Problem }

export function supportOf(spec: TrainingSpec): Support {
  const optimizer = counterparts[spec.optimizer]
  if (spec.framework !== 'tensorflow.js') {
    return unsupported(
      `TensorFlow.js cannot answer for ${spec.framework}, which takes a fraction of its memory for the same model`,
      'Use another engine, or name the framework where the code is in TensorFlow.js: --framework tensorflow.js.',
    )
  }
  if (spec.task === 'seq2seq-lm') {
    return unsupported(
      'TensorFlow.js trains no sequence-to-sequence models here',
      'Use the torch, trace or estimate probe.',
    )
  }
  if (spec.precision !== 'fp32' && spec.precision !== 'tf32') {
    return unsupported(`TensorFlow.js trains in fp32, not in ${spec.precision}`, 'Set the precision to fp32.')
  }
  if (spec.gpus > 1 || spec.offload !== undefined) {
    return unsupported('TensorFlow.js trains on one GPU, with everything on it', 'Set one GPU and no offloading.')
  }
  if (spec.fusedLoss) {
    return unsupported('TensorFlow.js has no fused loss', 'Turn the fused loss off.')
  }
  if (spec.gradientCheckpointing) {
    return unsupported('TensorFlow.js has no gradient checkpointing', 'Turn gradient checkpointing off.')
  }
  if (spec.lora !== undefined || spec.quantization !== undefined) {
    return unsupported('TensorFlow.js has neither adapters nor quantized training', 'Fine-tune all weights.')
  }
  if (optimizer === undefined) {
    return unsupported(`TensorFlow.js has no optimizer "${spec.optimizer}"`, 'Use adamw, sgd or sgd-momentum.')
  }
  return { kind: 'supported', optimizer }
}

function unsupported(message: string, fix: string): Support {
  return { kind: 'unsupported', problem: { code: 'tfjs-unsupported', message, fix } }
}

/** Thrown by a layer that a model asks for and TensorFlow.js does not have here. */
export class UnsupportedLayer extends Error {
  readonly problem: Problem

  constructor(what: string) {
    super(`TensorFlow.js has no ${what} here`)
    this.problem = {
      code: 'tfjs-unsupported',
      message: this.message,
      fix: 'Sweep a model without them, or in PyTorch.',
    }
  }
}
