/**
 * What one frame of a stack tells: Python or C++, PyTorch's own, of an installed package or the user's, and which part of a training
 * runs there. Files of torch 2.13, transformers 5.18, accelerate, peft and bitsandbytes; older releases have them under the same names.
 */
import { type Pickled, PickledDictionary } from './unpickle.ts'

/** `optimizer`: its state or what its step allocates in passing. */
export type OriginPart =
  | 'weights'
  | 'optimizer-state'
  | 'optimizer'
  | 'inputs'
  | 'workspace'
  | 'forward'
  | 'backward'
  | 'elsewhere'

export interface Frame {
  readonly name: string
  /** `modeling_llama.py:210 forward`. */
  readonly place: string
  /** C++ has no file, or one of C++. */
  readonly isPython: boolean
  readonly isOfTorch: boolean
  /** Outside of installed packages. */
  readonly isOwn: boolean
  readonly part?: OriginPart
  /** On a thread of autograd, as the name of a function in C++ tells, or as the outermost frame of Python. */
  readonly isOfBackward: boolean
  readonly startsBackward: boolean
}

interface Rule {
  readonly part: OriginPart
  readonly file?: RegExp
  readonly name?: RegExp
}

/** The first that a frame meets. */
const rules: readonly Rule[] = [
  { part: 'workspace', name: /getC(?:UDA|urrentCUDA)Blas(?:Lt)?(?:Workspace|Handle)/ },
  { part: 'optimizer-state', file: /[\\/]optim[\\/]/, name: /^(?:_init_group|init_state|_init_state)$/ },
  {
    part: 'optimizer',
    file: /[\\/]torch[\\/]optim[\\/]|[\\/]bitsandbytes[\\/]optim[\\/]|[\\/]apex[\\/]optimizers[\\/]|[\\/]transformers[\\/]optimization\.py$/,
  },
  { part: 'weights', file: /[\\/]transformers[\\/]core_model_loading\.py$|[\\/]torch[\\/]nn[\\/]init\.py$/ },
  {
    part: 'weights',
    name: /^(?:from_pretrained|_load_pretrained_model|set_module_tensor_to_device|load_state_dict|inject_adapter|update_layer|_apply|dispatch_model)$/,
  },
  { part: 'inputs', name: /^(?:_prepare_inputs?|send_to_device|_pin_memory_loop)$/ },
  { part: 'inputs', file: /[\\/]torch[\\/]utils[\\/]data[\\/]|[\\/]accelerate[\\/]data_loader\.py$/ },
  { part: 'forward', file: /[\\/]torch[\\/]nn[\\/]functional\.py$/ },
  { part: 'forward', name: /^(?:_call_impl|_wrapped_call_impl|compute_loss|training_step|prediction_step)$/ },
]

const MAX_NAME = 120

/** Frames are shared between stacks, and each is looked at once. */
export class Frames {
  readonly #known = new Map<PickledDictionary, Frame | undefined>()

  of(pickled: Pickled): Frame | undefined {
    if (!(pickled instanceof PickledDictionary)) return undefined
    const known = this.#known.get(pickled)
    if (known !== undefined || this.#known.has(pickled)) return known
    const frame = frameOf(pickled)
    this.#known.set(pickled, frame)
    return frame
  }
}

function frameOf(pickled: PickledDictionary): Frame | undefined {
  const [written, line, named] = [pickled.get('filename'), pickled.get('line'), pickled.get('name')]
  if (typeof written !== 'string' || typeof named !== 'string') return undefined
  // The end of a path tells it from others, its start only where it lies.
  const [file, name] = [written.slice(-400), named.slice(0, 400)]
  const met = rules.find(rule => (rule.file?.test(file) ?? true) && (rule.name?.test(name) ?? true))
  const isOfTorch = /[\\/]torch[\\/]|^<frozen|^<eval_with_key>/.test(file)
  return {
    name,
    place: `${file.split(/[\\/]/).at(-1) ?? file}:${typeof line === 'number' ? line : 0} ${name}`.slice(0, MAX_NAME),
    isPython: file.endsWith('.py') || file.startsWith('<'),
    isOfTorch,
    isOwn: !isOfTorch && !/[\\/](?:site|dist)-packages[\\/]|[\\/]lib[\\/]python3/.test(file),
    ...(met && { part: met.part }),
    isOfBackward: /torch::autograd::(?:Engine|Node|AccumulateGrad)|^_engine_run_backward$/.test(name),
    startsBackward: /[\\/]torch[\\/](?:autograd[\\/]function|utils[\\/]checkpoint)\.py$/.test(file),
  }
}
