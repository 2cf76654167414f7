/** What a script asks of Lightning 2.5's Trainer: `self.trainer.world_size`, `self.trainer.datamodule`. */
import { libraryName } from '../library.ts'
import type { Evaluator } from './evaluator.ts'
import { type LibraryCall, placeIn, type Value } from './values.ts'

export function isTrainer(value: Value): value is LibraryCall {
  if (value.kind !== 'call') return false
  const { library, name } = libraryName(value.name)
  return (library === 'lightning' || library === 'pytorch_lightning') && name === 'Trainer'
}

/** `self.trainer.world_size`, by which data modules divide the batch, and `self.trainer.datamodule`; undefined for what is not read. */
export function trainerAttribute(trainer: LibraryCall, name: string, evaluator: Evaluator): Value | undefined {
  if (name === 'datamodule') return evaluator.fittedData
  if (trainer.call === undefined || !/^(?:world_size|num_devices|num_nodes|accumulate_grad_batches)$/.test(name))
    return undefined
  const { values, unknown } = evaluator.argumentsOf(trainer.call, trainer.site)
  const given = values.get(name)
  if (name === 'num_nodes' || name === 'accumulate_grad_batches')
    return given ?? (unknown === undefined ? { ...trainer, kind: 'number', number: 1 } : undefined)
  const devices = values.get('devices') ?? values.get('gpus')
  const count = deviceCount(values)
  const isOpen = devices?.kind === 'open' || (devices === undefined && unknown !== undefined)
  if (isOpen) return devices ?? undefined
  const remark = `The batch is divided among the GPUs, of which one is assumed (${placeIn(trainer.module, trainer.from)}).`
  return count === undefined
    ? { ...trainer, kind: 'number', number: 1, remarks: [remark] }
    : { ...(devices ?? trainer), kind: 'number', number: count }
}

/** Of all machines; undefined for `auto` and -1, which take every GPU of one. */
export function deviceCount(given: ReadonlyMap<string, Value>): number | undefined {
  const devices = given.get('devices') ?? given.get('gpus')
  const nodes = given.get('num_nodes')
  const count = devices && countIn(devices)
  return count === undefined || count < 1 ? undefined : count * (nodes?.kind === 'number' ? nodes.number : 1)
}

/** A single number in a text is a count; with a comma, it is a list of devices. */
function countIn(devices: Value): number | undefined {
  if (devices.kind === 'list') return devices.items.length
  if (devices.kind === 'number') return devices.number
  const text = devices.kind === 'text' ? devices.text.trim() : ''
  if (/^\d{1,4}(,\s*\d{0,4}){1,64}$/.test(text)) return text.split(',').filter(index => index.trim() !== '').length
  return /^\d{1,4}$/.test(text) ? Number(text) : undefined
}
