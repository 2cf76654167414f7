/** Which of OpenRLHF's commands a launch runs, and what each trains: cli/*.py. */
import type { FieldReader } from '../../fields/fields.ts'
import type { Section } from '../../text/section.ts'
import { isOn, ordinary, preference, reward, type Training } from '../../trainer/method.ts'
import { notModelled } from '../unmodelled-tools.ts'
import { COMMAND, optionIn } from './options.ts'

const commands = ['train_sft', 'train_dpo', 'train_rm'] as const
export type Command = (typeof commands)[number]

const reinforcement =
  'OpenRLHF places the actor, the critic, the reference, the reward model and vLLM on GPUs of their own or together, and puts some of them to sleep in turn'

/** Of the commands that are refused by name, why. */
const others: ReadonlyMap<string, string> = new Map([
  ['train_ppo_ray', reinforcement],
  ['train_ppo', "OpenRLHF's train_ppo generates with transformers beside a critic, a reference and a reward model"],
  ['train_kto', "OpenRLHF's KTO computes its loss in code of its own"],
  ['train_kd', "OpenRLHF's distillation holds a teacher of another size beside the model"],
  ['train_knowledge_distillation', "OpenRLHF's distillation holds a teacher of another size beside the model"],
  ['train_prm', "OpenRLHF's process reward model computes its loss in code of its own"],
])

export function readCommand(reader: FieldReader, document: Section): Command | undefined {
  const field = document.at(COMMAND)
  const name = reader.text(field) ?? ''
  const command = commands.find(each => each === name)
  if (command !== undefined) return command
  return reader.refuse(field, ...notModelled(others.get(name) ?? `OpenRLHF's ${name}`))
}

/** Dropout is the model's own; train_dpo.py loads a reference beside the model whether adapters train or not. */
export function readTraining(reader: FieldReader, document: Section, command: Command): Training {
  const field = document.at(COMMAND)
  if (field === undefined) return ordinary
  if (command === 'train_sft') {
    tellOfOlderLoss(reader, document)
    return ordinary
  }
  if (command === 'train_rm') return { method: reward(reader, field, 'score').method }
  const training = preference(reader, field, { reference: 'copy', style: 'openrlhf', keepsDropout: true })
  const [own, other] = [optionIn(document, 'pretrain'), optionIn(document, 'ref_pretrain')]
  if (other !== undefined && other.source !== own?.source)
    reader.assume(`The reference (${other.name}) is counted as as large as the model.`)
  const offloads = optionIn(document, 'ref_offload')
  // get_eval_ds_config: only ZeRO-3 has parameters to offload.
  if (isOn(reader, offloads) && optionIn(document, 'zero_stage')?.source === '3')
    reader.assumeMore(
      "The reference's weights wait on the host (ref_offload) and are counted on the GPU: the estimate is high.",
    )
  return training
}

/** trainer/sft_trainer.py, GPTLMLoss before 0.7.0. Of the options that only older releases have, none tells on which side of it they are. */
function tellOfOlderLoss(reader: FieldReader, document: Section): void {
  if (document.at('bf16') === undefined && document.at('flash_attn') === undefined) return
  reader.assume(
    "The loss is OpenRLHF's since 0.7.0. Before, it was taken from a copy of the float32 logits: a step takes more than is estimated.",
  )
}
