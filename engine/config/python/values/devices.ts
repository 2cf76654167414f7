/** torch.device, by what it is made of: `torch.device("cuda:0").type` is `cuda`. */
import type { Evaluator } from './evaluator.ts'
import type { LibraryCall, Value } from './values.ts'

export function deviceAttribute(
  { name, call, site }: LibraryCall,
  attribute: string,
  evaluator: Evaluator,
): Value | undefined {
  if (name !== 'torch.device' || attribute !== 'type' || call === undefined) return undefined
  const device = evaluator.argumentsOf(call, site, ['device']).values.get('device')
  if (device?.kind !== 'text') return undefined
  const [type = ''] = device.text.split(':', 1)
  return { ...device, text: type }
}
