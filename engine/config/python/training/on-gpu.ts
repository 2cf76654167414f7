/** Whether a loop that a script writes itself moves anything to a GPU: plain PyTorch does nothing by itself. */
import { callExpression, type Module, starImports } from '../syntax/module.ts'
import type { Evaluator } from '../values/evaluator.ts'
import { siteAt } from '../values/sites.ts'
import type { Value } from '../values/values.ts'
import { argument } from './model-chain.ts'

const MAX_CALLS = 40
const MAX_FILES = 20
const MAX_NAMES = 60

/** What may move it in ways that are not looked into. */
const moves =
  /\bcuda\b|\bxpu\b|\bgpus?\b|\b(?:Accelerator|Fabric|DeviceDataLoader|\w*DataParallel)\b|\bdeepspeed\b|\bdevice_?(?:map|ids)\b|\bset_default_(?:device|tensor_type)\b|\bdevice\s*=(?!=)/i
/** Of a device that the text names: it says by itself where it is. */
const namesProcessor =
  /device\w{0,40}[ \t]{0,9}=[ \t]{0,9}(?:torch\.device\([ \t]{0,9})?["']cpu["'][ \t]{0,9}\)?[ \t]{0,9}(?:$|[,)])|\.to\([ \t]{0,9}(?:device[ \t]{0,9}=[ \t]{0,9})?["']cpu["']/gim

/** True where the files move nothing but to the processor, by all that they say. */
export function staysOnProcessor(modules: readonly Module[], evaluator: Evaluator): boolean {
  const files = new Set([...modules, ...evaluator.callers])
  if ([...files].some(file => mayMove(file, evaluator))) return false
  const imported = [...files].flatMap(file => importedBy(file, evaluator)).filter(file => !files.has(file))
  return !imported.slice(0, MAX_FILES).some(file => mayMove(file, evaluator))
}

/** Of the repository. */
function importedBy(module: Module, evaluator: Evaluator): readonly Module[] {
  const named = [...module.top.bindings.values()].flat().flatMap(({ value }) => {
    if (value.kind !== 'import') return []
    return [value.from, ...(value.member === undefined ? [] : [`${value.from}.${value.member}`])]
  })
  const names = [...new Set([...named, ...starImports(module.top)])].slice(0, MAX_NAMES)
  return names.flatMap(name => evaluator.find(module, name) ?? [])
}

function mayMove(module: Module, evaluator: Evaluator): boolean {
  if (moves.test(module.text.replace(/#.*$/gm, '').replace(namesProcessor, ''))) return true
  return (module.calls.get('to') ?? []).slice(0, MAX_CALLS).some(call => {
    const expression = callExpression(call)
    if (expression === undefined || !evaluator.mayRun(call)) return false
    const { values } = evaluator.argumentsOf(expression, siteAt(call), ['device'])
    return [...values].some(([name, value]) => /^(?:device|\d)$/.test(name) && !isElsewhere(value, evaluator))
  })
}

/** The processor, or no device at all. */
function isElsewhere(value: Value, evaluator: Evaluator): boolean {
  if (value.kind === 'symbol') return /^torch\.\w+$/.test(value.name)
  const named = value.kind === 'call' && value.name === 'torch.device' ? argument(value, 'device', 0, evaluator) : value
  return named?.kind === 'text' && /^cpu\b/.test(named.text)
}
