/** What ms-swift trains on, and which losses Liger's fused one replaces: swift/trainers/seq2seq_trainer.py, swift/rlhf_trainers. */
import type { FieldReader } from '../../fields/fields.ts'
import { leaveOut } from '../../fields/supplied.ts'
import { quote } from '../../text/quote.ts'
import type { Field, Section } from '../../text/section.ts'
import { isOn, kto, ordinary, preference, refuseGeneration, reward, type Training } from '../../trainer/method.ts'
import { type Around, readGrpo } from './completions.ts'

export function readTraining(reader: FieldReader, document: Section, around: Around): Training {
  const field = document.at('rlhf_type')
  const name = reader.text(field)
  if (field === undefined || name === undefined) return ofAnswers(reader, document)
  const liger = document.at('use_liger_kernel')
  if (name === 'grpo') return readGrpo(reader, document, field, around)
  if (isOn(reader, liger) && name !== 'rm') tellOfWholeLogits(reader, `${field.name} ${name}`)
  return ofPreferences(reader, document, { field, name, hasAdapter: around.hasAdapter })
}

/** The model's own loss, which Liger fuses, or one of ms-swift's on logits in full. */
function ofAnswers(reader: FieldReader, document: Section): Training {
  const type = document.at('loss_type')
  const loss = reader.text(type)
  if (type !== undefined && loss !== undefined && !causalLosses.has(loss)) {
    const message = `What the loss ${quote(loss)} computes is not known`
    return reader.refuse(type, 'unsupported-training', message, leaveOut) ?? ordinary
  }
  const own = loss === undefined ? ownLoss(reader, document) : type
  if (!isOn(reader, document.at('use_liger_kernel'))) return ordinary
  if (own === undefined) return { fusedLoss: true }
  tellOfWholeLogits(reader, own.name)
  return ordinary
}

function tellOfWholeLogits(reader: FieldReader, name: string): void {
  reader.assume(
    `The logits are held in full: with ${name}, ms-swift computes a loss of its own, and Liger's has no effect.`,
  )
}

/** swift/loss/mapping.py, and two that were of releases before 3.6. They need a loss for each token, as the model's own does. */
const causalLosses: ReadonlySet<string> = new Set(['cross_entropy', 'loss_scale', 'channel_loss'])

/** compute_loss: where one of these is set, the labels are taken away from the model. */
function ownLoss(reader: FieldReader, document: Section): Field | undefined {
  const switched = ['enable_dft_loss', 'enable_channel_loss'].map(key => document.at(key))
  const smoothed = document.at('label_smoothing_factor')
  const isSmoothed = smoothed?.value.kind === 'number' && smoothed.value.number > 0
  return (
    switched.find(field => isOn(reader, field)) ?? weighted(reader, document) ?? (isSmoothed ? smoothed : undefined)
  )
}

/** swift/loss_scale: weights of 0 and 1 become labels; others are handed to the loss. */
function weighted(reader: FieldReader, document: Section): Field | undefined {
  const field = document.at('loss_scale')
  const isBinary = isOn(reader, document.at('is_binary_loss_scale'))
  const parts = field?.value.kind === 'text' ? field.value.text.split('+') : []
  return !isBinary && parts.some(part => !binaryScales.test(part)) ? field : undefined
}

const binaryScales =
  /^(?:default|last_round|all|ignore_empty_think|ignore_think_prefix|last_round_with_ignore_empty_think)$/

interface Asked {
  readonly field: Field
  readonly name: string
  readonly hasAdapter: boolean
}

/**
 * `swift rlhf`: the trainers take TRL's log-probabilities, with a copy as reference unless adapters train. SimPO is CPO with another
 * loss (swift/arguments/rlhf_args.py), whose cross-entropy `cpo_alpha` weighs, 1 by default.
 */
function ofPreferences(reader: FieldReader, document: Section, { field, name, hasAdapter }: Asked): Training {
  const reference = hasAdapter ? 'adapters-off' : 'copy'
  const other = document.at('ref_model')
  const isOther = other !== undefined && other.source !== document.at('model')?.source
  // A cross-entropy of the chosen responses in addition.
  const fields = [isOther ? other : undefined, name === 'dpo' ? document.at('rpo_alpha') : undefined]
  reader.uncounted.push(...fields.filter(each => each !== undefined))
  switch (name) {
    case 'dpo':
      return preference(reader, field, { reference, style: 'trl' })
    case 'kto':
      return kto(reader, field, { reference, style: 'trl' })
    case 'orpo':
      return preference(reader, field, { reference: 'none', style: 'trl', withCrossEntropy: true })
    case 'cpo':
    case 'simpo': {
      const alpha = document.at('cpo_alpha')
      const withCrossEntropy = !(alpha?.value.kind === 'number' && alpha.value.number === 0)
      return preference(reader, field, { reference: 'none', style: 'trl', withCrossEntropy })
    }
    case 'rm':
      return reward(reader, field, 'score')
    case 'ppo':
    case 'gkd':
      return refuseGeneration(reader, field, name)
    default: {
      const message = `ms-swift's training with ${name} is not modelled yet`
      return reader.refuse(field, 'unsupported-training', message, leaveOut) ?? ordinary
    }
  }
}
