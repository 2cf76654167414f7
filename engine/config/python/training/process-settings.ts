/** What a script sets of PyTorch for its whole process, and what decides memory. Nothing of it is counted, so that nothing blocks. */
import type { Field } from '../../text/section.ts'
import { libraryName } from '../library.ts'
import type { CallExpression } from '../syntax/expressions.ts'
import { type Call, callExpression, type Module } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { siteAt } from '../values/sites.ts'
import { placeIn, type Value } from '../values/values.ts'
import { told } from './own-steps.ts'

interface Setting {
  readonly calls: readonly string[]
  /** `The default type of tensors`. */
  readonly what: string
  /** Whether a call with this first argument leaves everything as it is. */
  readonly isDefault?: (given: Value) => boolean
}

/** `torch.float32`, `torch.FloatTensor`, `"torch.cuda.FloatTensor"` */
function isFloat32(given: Value): boolean {
  const name = given.kind === 'symbol' ? given.name : given.kind === 'text' ? given.text : ''
  return /^torch\.(?:float(?:32)?|(?:cuda\.)?FloatTensor)$/.test(name)
}

/** Without its fused kernels, `scaled_dot_product_attention` holds the scores of all pairs of tokens. */
const ofAttention: readonly Setting[] = [
  {
    calls: ['enable_flash_sdp', 'enable_mem_efficient_sdp', 'enable_math_sdp'],
    what: 'Which kernels attention may use',
    isDefault: given => given.kind === 'flag' && given.flag,
  },
  { calls: ['sdp_kernel', 'sdpa_kernel'], what: 'Which kernels attention may use' },
]

const ofAll: readonly Setting[] = [
  {
    calls: ['set_per_process_memory_fraction'],
    what: "The share of the GPU's memory that PyTorch may use",
    isDefault: given => given.kind === 'number' && given.number >= 1,
  },
  { calls: ['compile'], what: 'Compiling by torch.compile' },
  { calls: ['save_on_cpu', 'saved_tensors_hooks'], what: 'Where the backward pass keeps what it needs' },
  {
    calls: ['set_default_dtype', 'set_default_tensor_type'],
    what: 'The default type of tensors',
    isDefault: isFloat32,
  },
]

/** A sentence for each. `fields`: of the training, whose attention may be no call of `scaled_dot_product_attention`. */
export function processSettings(
  fields: readonly Field[],
  modules: readonly Module[],
  evaluator: Evaluator,
): readonly string[] {
  const attention = fields.find(({ key }) => key === 'attn_implementation')?.value
  const usesSdpa = attention?.kind !== 'text' || attention.text === 'sdpa'
  const found = [...(usesSdpa ? ofAttention : []), ...ofAll].flatMap(({ calls, what, isDefault }) => {
    const call = modules
      .flatMap(module => calls.flatMap(name => module.calls.get(name) ?? []))
      .find(each => isSetting(each, isDefault, evaluator))
    return call === undefined ? [] : [`${what} is the code's own choice (${placeIn(call.module, call.at)})`]
  })
  return told(found, evaluator)
}

/** `model.compile()` of torch's modules; Keras' is given an optimizer and a loss. */
function compilesInPlace(written: CallExpression | undefined): boolean {
  const object =
    written?.callee.kind === 'attribute' && written.callee.name === 'compile' ? written.callee.object : undefined
  const name = object?.kind === 'name' || object?.kind === 'attribute' ? object.name : ''
  const isKeras = written?.arguments.some(
    each => each.kind === 'keyword' && /^(?:optimizer|loss|metrics)$/.test(each.name),
  )
  return /model|net/i.test(name) && !isKeras
}

function isSetting(call: Call, isDefault: Setting['isDefault'], evaluator: Evaluator): boolean {
  const written = callExpression(call)
  const callee = written && evaluator.evaluate(written.callee, siteAt(call))
  const isTorchs = callee?.kind === 'symbol' && libraryName(callee.name).library === 'torch'
  if (!isTorchs && !compilesInPlace(written)) return false
  const [given] = written?.arguments ?? []
  const value =
    given === undefined || given.kind === 'spread' ? undefined : evaluator.evaluate(given.value, siteAt(call))
  return !(value !== undefined && isDefault?.(value)) && evaluator.mayRun(call)
}
