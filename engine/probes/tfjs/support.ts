/** Which specs TensorFlow.js can train. */
import type { Problem } from '../../base/errors.ts'
import type { Optimizer } from '../../training/choices.ts'
import type { TrainingSpec } from '../../training/spec.ts'

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
      `TensorFlow.js figures do not apply to ${spec.framework}, which needs a fraction of the memory for the same model`,
      'Use another engine, or --framework tensorflow.js if the training code is in TensorFlow.js.',
    )
  }
  if (spec.task === 'seq2seq-lm') {
    return unsupported(
      'sequence-to-sequence models are not supported in TensorFlow.js',
      'Use the torch, trace or estimate engine.',
    )
  }
  if (spec.precision !== 'fp32' && spec.precision !== 'tf32') {
    return unsupported(`TensorFlow.js trains in fp32, not in ${spec.precision}`, 'Set the precision to fp32.')
  }
  if (spec.gpus > 1 || spec.offload !== undefined) {
    return unsupported('TensorFlow.js trains on one GPU, without offloading', 'Use one GPU and no offloading.')
  }
  if (spec.fusedLoss) {
    return unsupported('TensorFlow.js has no fused loss', 'Turn the fused loss off.')
  }
  if (spec.gradientCheckpointing) {
    return unsupported('TensorFlow.js has no gradient checkpointing', 'Turn gradient checkpointing off.')
  }
  if (spec.lora !== undefined || spec.quantization !== undefined) {
    return unsupported('TensorFlow.js has neither adapters nor quantised training', 'Fine-tune all weights.')
  }
  if (optimizer === undefined) {
    return unsupported(`TensorFlow.js has no optimizer "${spec.optimizer}"`, 'Use adamw, sgd or sgd-momentum.')
  }
  return { kind: 'supported', optimizer }
}

function unsupported(message: string, fix: string): Support {
  return { kind: 'unsupported', problem: { code: 'tfjs-unsupported', message, fix } }
}

/** Thrown if a model has ops without a row in registry.ts. */
export class UnsupportedOps extends Error {
  readonly problem: Problem

  constructor(ops: readonly string[]) {
    super(`not supported in TensorFlow.js: the model's ${ops.length === 1 ? 'op' : 'ops'} ${ops.join(', ')}`)
    this.problem = {
      code: 'tfjs-unsupported',
      message: this.message,
      fix: 'Sweep another model, or use PyTorch.',
    }
  }
}
