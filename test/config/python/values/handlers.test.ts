/** Settings that hang on whether a library is installed: what counts where nothing fails is told, and never blocks. */
import { describe, expect, it } from 'vitest'
import { finetuning, trained } from '../scripts.ts'

const loads = (above: string) =>
  finetuning(above, 'per_device_train_batch_size=8, bf16=True').replace(
    '("gpt2")',
    '("gpt2", attn_implementation=attention)',
  )

describe('a setting that an error changes', () => {
  it.each([
    [
      'a name',
      'try:\n    import flash_attn\n    attention = "flash_attention_2"\nexcept ImportError:\n    attention = "eager"',
    ],
    [
      'what a function returns',
      'def pick():\n    try:\n        import flash_attn\n        return "flash_attention_2"\n    except ImportError:\n        return "eager"\nattention = pick()',
    ],
  ])('counts as where nothing fails: %s', async (_, above) => {
    const { spec, assumptions, assumesCode } = await trained(loads(above))
    expect(spec.attention).toBe('flash')
    expect(assumptions.join('\n')).toContain(
      '"flash_attention_2" counts, as where nothing fails: otherwise "eager" does',
    )
    expect(assumesCode).toBe(true)
  })

  it('counts so where another model is loaded instead', async () => {
    const text = finetuning('', 'per_device_train_batch_size=8, bf16=True').replace(
      'model = AutoModelForCausalLM.from_pretrained("gpt2")',
      'try:\n    model = AutoModelForCausalLM.from_pretrained("gpt2", attn_implementation="flash_attention_2")\nexcept ImportError:\n    model = AutoModelForCausalLM.from_pretrained("gpt2", attn_implementation="eager")',
    )
    const { spec, assumptions, assumesCode } = await trained(text)
    expect(spec.attention).toBe('flash')
    expect(assumptions.join('\n')).toContain('counts, as where nothing fails: otherwise')
    expect(assumesCode).toBe(true)
  })

  it('is not told where both say the same', async () => {
    const above = 'try:\n    import flash_attn\n    attention = "sdpa"\nexcept ImportError:\n    attention = "sdpa"'
    expect((await trained(loads(above))).assumesCode).toBeUndefined()
  })
})
