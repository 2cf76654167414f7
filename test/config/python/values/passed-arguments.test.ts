/** What a launcher passes to a script takes the place of the script's defaults, and is told by the launcher's line. */
import { describe, expect, it } from 'vitest'
import { explainConfigAsync } from '../../../../engine/config/read.ts'

const launcher = { path: 'run.sh', text: 'torchrun train.py \\\n  --batch-size 24 --amp\n' }

function passed(name: string, text: string | undefined) {
  const from = launcher.text.indexOf(text ?? `--${name}`)
  const why = text?.startsWith('$') ? `${text} is not set in the file (line 1)` : undefined
  const value = text === undefined ? [] : [{ text, from, remarks: [], ...(why && { why }) }]
  return { name, values: value, launcher, from }
}

const parsed = `import argparse
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
parser = argparse.ArgumentParser()
parser.add_argument("--batch-size", type=int, default=8)
parser.add_argument("--amp", action="store_true")
args = parser.parse_args()
model = AutoModelForCausalLM.from_pretrained("gpt2")
Trainer(model, TrainingArguments("out", per_device_train_batch_size=args.batch_size, bf16=args.amp)).train()
`
const byClass = `from transformers import AutoModelForCausalLM, HfArgumentParser, Trainer, TrainingArguments
(args,) = HfArgumentParser((TrainingArguments,)).parse_args_into_dataclasses()
Trainer(AutoModelForCausalLM.from_pretrained("gpt2"), args).train()
`

async function decided(text: string, given: readonly ReturnType<typeof passed>[]) {
  const explanation = await explainConfigAsync({ path: 'train.py', text, passed: given }, {})
  if (explanation.kind !== 'recognised') throw new Error(JSON.stringify(explanation))
  return explanation
}

describe('what a launcher passes', () => {
  it('takes the place of the defaults of argparse', async () => {
    const { decisions, assumptions, reading } = await decided(parsed, [
      passed('batch_size', '24'),
      passed('amp', undefined),
    ])
    expect(decisions.find(({ setting }) => setting === 'microBatch')).toMatchObject({
      value: 24,
      from: { field: { at: { line: 2, column: 16 }, file: 'run.sh' } },
    })
    expect(reading).toMatchObject({ spec: { precision: 'amp-bf16' } })
    expect(assumptions.join()).not.toContain('--batch-size')
    expect(reading).not.toHaveProperty('batchSizeAt')
  })

  it('is open where an action of the script’s own takes it, and a switch where argparse’s class does', async () => {
    const given = [passed('batch_size', '24'), passed('amp', undefined)]
    const own = await decided(parsed.replace('type=int', 'type=int, action=PerNode'), given)
    expect(JSON.stringify(own.reading)).toContain("batch_size is taken with an action of the script's own (line 4)")
    const either = parsed.replace('"store_true"', 'argparse.BooleanOptionalAction, default=False')
    expect((await decided(either, given)).reading).toMatchObject({ spec: { precision: 'amp-bf16', microBatch: 24 } })
  })

  it('is open where the action of another option that is passed sets it', async () => {
    const mode = `class Mode(argparse.Action):
    def __call__(self, parser, namespace, values, option_string=None):
        setattr(namespace, "amp", self.const == "mixed")
`
    const text = parsed
      .replace('parser =', `${mode}parser =`)
      .replace('args =', 'parser.add_argument("--full", nargs=0, action=Mode, const="full")\nargs =')
    const given = [passed('batch_size', '24')]
    const other = await decided(text, [...given, passed('full', undefined)])
    expect(JSON.stringify(other.reading)).toContain('amp may be set by the action of --full (line 9)')
    // One that is not passed sets nothing.
    expect((await decided(text, given)).reading).toMatchObject({ spec: { precision: 'fp32', microBatch: 24 } })
  })

  it("fills transformers' own arguments, where the script alone is no config", async () => {
    const given = [passed('per_device_train_batch_size', '24'), passed('gradient_accumulation_steps', '2')]
    expect((await decided(byClass, given)).reading).toMatchObject({ spec: { microBatch: 24, gradientAccumulation: 2 } })
    expect(await explainConfigAsync({ path: 'train.py', text: byClass }, {})).toMatchObject({ kind: 'not-recognised' })
  })

  it('takes the place of the parameters of a function that Fire calls', async () => {
    const text = `import fire
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
def train(base_model: str = "gpt2", batch_size: int = 8, amp: bool = False):
    model = AutoModelForCausalLM.from_pretrained(base_model)
    Trainer(model, TrainingArguments("out", per_device_train_batch_size=batch_size, bf16=amp)).train()
if __name__ == "__main__":
    CALL
`
    const given = [passed('batch_size', '24'), passed('amp', undefined)]
    for (const call of ['fire.Fire(train)', 'fire.Fire(component=None)']) {
      const { decisions, assumptions, reading } = await decided(text.replace('CALL', call), given)
      const isCalled = call === 'fire.Fire(train)'
      expect(decisions.find(({ setting }) => setting === 'microBatch')?.value).toBe(isCalled ? 24 : 8)
      expect(reading).toMatchObject({ spec: { precision: isCalled ? 'amp-bf16' : 'fp32' } })
      expect(assumptions.join().includes('no option is found')).toBe(!isCalled)
    }
  })

  it('is asked for where the launcher fills it in as it runs', async () => {
    const { reading } = await decided(parsed, [passed('batch_size', '$BATCH')])
    expect(reading).toMatchObject({ kind: 'unreadable', problems: [{ code: 'not-in-file', file: 'run.sh' }] })
  })
})
