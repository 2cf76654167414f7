/** Where verl's settings name the model: those of the actor, or those of its supervised fine-tuning. */
import type { Field, Section } from '../../text/section.ts'

export function modelOfActor(document: Section): Field | undefined {
  return document.at('actor_rollout_ref', 'model', 'path')
}

export function modelOfFineTuning(document: Section): Field | undefined {
  return document.at('model', 'partial_pretrain')
}
