/**
 * Trainings in scripts around a library whose models are not modelled: told by what the script loads from it, and refused by name. A
 * script that is passed over looks like one that was checked.
 */

import { type Call, callExpression, type Module } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { siteAt } from '../values/sites.ts'
import { optimizersIn } from './optimizers.ts'

interface UnmodelledLibrary {
  readonly name: string
  /** What it loads or makes models by, as the library has it. */
  readonly loads: RegExp
  /** What runs a training of it, beside a loop of the script's own. */
  readonly trains?: RegExp
}

const libraries: readonly UnmodelledLibrary[] = [
  {
    name: 'diffusers',
    loads:
      /^diffusers\.(?:\w+\.)*(?=\w*(?:(?:Models?|Pipeline|Scheduler|VAE)\.|Autoencoder))\w+\.from_(?:pretrained|single_file|config)$/,
  },
  { name: 'open_clip', loads: /^open_clip\.(?:\w+\.)*create_model\w*$/ },
  { name: 'CLIP', loads: /^clip\.(?:clip\.)?load$/ },
  // What its own trainers train is read where that can be followed, but for encoders of other kinds.
  {
    name: 'sentence-transformers',
    loads: /^sentence_transformers\.(?:\w+\.)*(?:SparseEncoder|MultiVectorEncoder)$/,
    trains: /^(?:SparseEncoder|MultiVectorEncoder)Trainer$/,
  },
  {
    name: 'sentence-transformers',
    loads: /^sentence_transformers\.(?:\w+\.)*(?:SentenceTransformer|CrossEncoder)$/,
    trains: /^(?:old_)?fit$/,
  },
  { name: 'SetFit', loads: /^setfit\.(?:\w+\.)*SetFitModel\.from_pretrained$/, trains: /^(?:SetFit)?Trainer$/ },
  { name: 'segmentation_models_pytorch', loads: /^segmentation_models_pytorch\.(?:\w+\.)*[A-Z]\w*$/ },
  {
    name: "torchvision's detection and segmentation",
    loads: /^torchvision\.models\.(?:detection|segmentation)\.[a-z]\w+$/,
  },
  { name: "torchvision's video", loads: /^torchvision\.models\.(?:video|optical_flow)\.[a-z]\w+$/ },
  { name: 'fair-esm', loads: /^esm\.pretrained\.\w+$/ },
]

/** As many calls of one name as are looked at. */
const MAX_CALLS = 20

export interface UnmodelledTraining {
  readonly library: string
  /** What loads its model. */
  readonly call: Call
}

/** Undefined for a script that trains none of them. */
export function unmodelledTraining(module: Module, evaluator: Evaluator): UnmodelledTraining | undefined {
  const called = callsOf(module, evaluator)
  for (const library of libraries) {
    const load = called.find(({ name }) => library.loads.test(name))
    if (load !== undefined && isTrained(library, module, evaluator)) return { library: library.name, call: load.call }
  }
  return undefined
}

function isTrained({ trains }: UnmodelledLibrary, module: Module, evaluator: Evaluator): boolean {
  const runs = (name: string) =>
    module.calls.get(name)?.some(call => evaluator.mayRun(call) && (!/fit$/.test(name) || givesPairs(call))) ?? false
  if (trains !== undefined && [...module.calls.keys()].some(name => trains.test(name) && runs(name))) return true
  return runs('backward') && (optimizersIn(module, evaluator).length > 0 || stepsOptimizer(module))
}

/** `model.fit(train_objectives=…)`; scikit-learn's models are fitted too. */
function givesPairs(call: Call): boolean {
  const given = callExpression(call)?.arguments ?? []
  return given.some(each => each.kind === 'keyword' && /^train_(?:objectives|dataloader)$/.test(each.name))
}

/** `optimizer.step()`, of one that is made elsewhere; a sampler steps its noise too. */
function stepsOptimizer(module: Module): boolean {
  return (module.calls.get('step') ?? []).some(call => {
    const callee = callExpression(call)?.callee
    return (
      callee !== undefined &&
      /opt\w*\.step$/i.test(module.text.slice(Math.max(callee.from, callee.to - 100), callee.to))
    )
  })
}

function callsOf(module: Module, evaluator: Evaluator): readonly { readonly name: string; readonly call: Call }[] {
  const names = /^(?:from_pretrained|from_single_file|from_config|create_model\w*|load|[A-Z]\w*|[A-Za-z_]*\d\w*)$/
  return [...module.calls].flatMap(([name, calls]) => {
    if (!names.test(name)) return []
    return calls.slice(0, MAX_CALLS).flatMap(call => {
      const callee = callExpression(call)?.callee
      const value = callee && evaluator.evaluate(callee, siteAt(call))
      return value?.kind === 'symbol' && evaluator.mayRun(call) ? [{ name: value.name, call }] : []
    })
  })
}
