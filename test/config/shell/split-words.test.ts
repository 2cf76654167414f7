/** Commands that a variable holds: a here-document that is read into it, or a text between quotes over several lines. */
import { describe, expect, it } from 'vitest'
import { readConfigAsync } from '../../../engine/config/read.ts'
import type { Reading } from '../../../engine/config/reading.ts'
import { rewriteNumbers } from '../../../engine/config/text/rewrite.ts'

async function trained(text: string): Promise<Extract<Reading, { kind: 'training-config' }>> {
  const reading = await readConfigAsync({ path: 'train.sh', text }, {})
  if (reading.kind !== 'training-config') throw new Error(JSON.stringify(reading))
  return reading
}

const document = [
  'SIZE=6',
  "read -r -d '' sft_command <<EOF",
  'swift.cli.sft \\',
  '   --model Qwen/Qwen2.5-0.5B \\',
  '   --output_dir out/$NAME/sft \\',
  '   --per_device_train_batch_size 3 \\',
  '   --gradient_accumulation_steps $SIZE --train_type full',
  'EOF',
  'torchrun --nproc_per_node 2 -m $sft_command',
].join('\n')

const quoted = [
  'ARGS="--model Qwen/Qwen2.5-0.5B \\',
  '   --per_device_train_batch_size 3 \\',
  '   --gradient_accumulation_steps 6 --train_type full"',
  `torchrun --nproc_per_node 2 -m swift.cli.sft \${ARGS}`,
].join('\n')

it.each([
  ['a here-document', document, { line: 6, column: 34 }],
  ['quotes', quoted, { line: 2, column: 34 }],
])('is read from %s, and each number has its place', async (_, text, at) => {
  const { spec, batchSizeAt, gradientAccumulationAt } = await trained(text)
  expect(spec).toMatchObject({ model: 'Qwen/Qwen2.5-0.5B', microBatch: 3, gradientAccumulation: 6, gpus: 2 })
  expect(batchSizeAt).toMatchObject(at)
  const numbers = [
    { at: batchSizeAt!, from: 3, to: 4 },
    { at: gradientAccumulationAt!, from: 6, to: 5 },
  ] as const
  const changed = rewriteNumbers(text, numbers)
  if (changed.kind !== 'rewritten') throw new Error(changed.kind)
  expect((await trained(changed.text)).spec).toMatchObject({ microBatch: 4, gradientAccumulation: 5 })
})

it('leaves open only the words that an expansion is part of', async () => {
  const { spec, assumptions } = await trained(quoted.replace('--train_type', '--output_dir out/$NAME --train_type'))
  expect(spec).toMatchObject({ microBatch: 3, gradientAccumulation: 6 })
  expect(assumptions.join(' ')).not.toContain('only a run can tell')
})

it('does not follow what may hold something else when it is used', async () => {
  const other = document.replace("read -r -d ''", 'read -r')
  const reading = await readConfigAsync({ path: 'train.sh', text: other }, {})
  expect(reading.kind).not.toBe('training-config')
})

it('stays within its bounds where a variable is put together from itself', async () => {
  const text = `A="a b"\n${'A="$A $A"\n'.repeat(200)}\n${quoted}`
  expect((await trained(text)).spec.microBatch).toBe(3)
})

describe('a text that grows by +=', () => {
  const grown = [
    'OPTS=""',
    'OPTS+=" --model_name_or_path openai-community/gpt2"',
    'OPTS+=" --output_dir out/"`date +"%Y%m%d %H"`',
    `OPTS+=" --ckpt \${CKPT}"`,
    'OPTS+=" --per_device_train_batch_size 3 --max_seq_length 128"',
    `CMD="torchrun --nproc_per_node 2 train.py \${OPTS}"`,
    `\${CMD} 2>&1 | tee train.log`,
  ]

  it('leaves open only the words that only a run can tell, and each number has its place', async () => {
    const { spec, batchSizeAt, assumptions } = await trained(grown.join('\n'))
    expect(spec).toMatchObject({ model: 'openai-community/gpt2', microBatch: 3, sequenceLength: 128, gpus: 2 })
    expect(batchSizeAt).toMatchObject({ line: 5, column: 39 })
    expect(assumptions.join(' ')).not.toContain('only a run can tell')
  })

  it('asks by name and line for what a condition adds', async () => {
    const adding = (option: string) =>
      grown.toSpliced(4, 0, 'if [ -n "$RESUME" ]; then', `  OPTS+=" ${option}"`, 'fi').join('\n')
    const reading = await readConfigAsync({ path: 'train.sh', text: adding('--bf16') }, {})
    expect(reading).toMatchObject({ problems: [{ code: 'not-in-file', field: '--bf16', line: 6 }] })
    const { spec } = await trained(adding('--run_name again'))
    expect(spec).toMatchObject({ microBatch: 3, sequenceLength: 128 })
  })

  it('is not cut where its parts may make one word', async () => {
    const joined = grown.with(4, 'OPTS+="--per_device_train_batch_size 3 --max_seq_length 128"')
    const reading = await readConfigAsync({ path: 'train.sh', text: joined.join('\n') }, {})
    expect(reading.kind).not.toBe('training-config')
  })
})
