/**
 * Files of a team's own that hold settings of several ways to fine-tune and name the one that runs: `method: full` beside
 * `lora: { … }` and `qlora: { … }`.
 */
import type { Section } from '../text/section.ts'

/** `method: ia3`, at the top of a team's file or in its mapping for adapters. */
export const methodKey = /^(?:(?:peft|adapter|tuning|finetuning|fine_tuning)_)?(?:method|type)$/
export const allWeights = /^full(?:[-_ ]?(?:ft|sft|param\w*|fine[-_ ]?tun\w*))?$/i
export const lowRank = /^(?:q-?|rs)?(?:lo|do)ra$/i
/** peft 0.21's methods beside LoRA, by the names that nothing else has. */
export const otherMethods =
  /^(?:\(?ia\)?[3³]|ada_?lora|(?:prefix|(?:multitask_?)?prompt|p)[-_]?tuning|b?oft|lo(?:ha|kr)|vera|vblora|fourierft|ln_?tuning|x_?lora)$/i

/** The mappings, down to `levels`, whose settings another method than the one that the file chooses would take. */
export function ofOtherMethods(document: Section, levels: number): ReadonlySet<Section> {
  const others = document.nested(levels).flatMap(section => {
    const fields = [...section.fields.values()]
    const chosen = fields.flatMap(({ key, value }) => {
      const text = methodKey.test(key) && value.kind === 'text' ? value.text.toLowerCase() : ''
      return allWeights.test(text) || isMethod(text) ? [text] : []
    })[0]
    if (chosen === undefined) return []
    const named = fields.flatMap(({ key, value }) => {
      const method = key.toLowerCase().replace(/_(?:config|args)$/, '')
      return value.kind === 'mapping' && isMethod(method) ? [{ method, own: value.section }] : []
    })
    // QLoRA's and DoRA's settings may stand under LoRA's name.
    const name = lowRank.test(chosen) && named.every(({ method }) => method !== chosen) ? 'lora' : chosen
    return named.flatMap(({ method, own }) => (method === name ? [] : own.nested(levels)))
  })
  return new Set(others)
}

function isMethod(name: string): boolean {
  return lowRank.test(name) || otherMethods.test(name)
}
