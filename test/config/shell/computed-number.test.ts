// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are the shell's
/** Whole numbers that a launcher has a command compute. */
import { expect, it } from 'vitest'
import { read } from '../python/scripts.ts'

const launch = (accumulation: string) =>
  `N=4\nBATCH=2\ntorchrun --nproc_per_node=$N run_clm.py --do_train --model_name_or_path gpt2 --per_device_train_batch_size $BATCH --gradient_accumulation_steps ${accumulation}\n`

async function accumulationOf(written: string): Promise<number | string | undefined> {
  const reading = await read(launch(written), 'run.sh')
  if (reading.kind === 'training-config') return reading.spec.gradientAccumulation
  return reading.kind === 'unreadable' ? reading.problems[0]?.code : reading.kind
}

it.each([
  // Megatron's and ms-swift's examples: examples/train/multimodal/omni/sft.sh of ms-swift 3.9.
  ['$(expr 16 / $N)', 4],
  ['`expr 16 / $N`', 4],
  ['$(expr 32 / $N / $BATCH)', 4],
  ['$(expr $BATCH \\* 3)', 6],
  ["$(expr $BATCH '*' 3 + 1)", 7],
  ['$(expr \\( $N + $BATCH \\) / 2)', 3],
  ['"$(expr 17 / "${N}")"', 4],
  ['$(echo "16 / $N" | bc)', 4],
  ['$(echo 16/$N/$BATCH | bc)', 2],
  // Left open: what is not set, what divides by nothing, what is no number, and other commands.
  ['$(expr 16 / $WORLD_SIZE)', 'not-in-file'],
  ['$(expr 16 / 0)', 'not-in-file'],
  ['$(expr 16 / $N; rm -r /tmp/x)', 'not-in-file'],
  ['$(expr length $N)', 'not-in-file'],
  ['$(echo "scale=2; 16 / $N" | bc)', 'not-in-file'],
  ['$(expr 16 / $(nvidia-smi -L | wc -l))', 'not-in-file'],
])('%s', async (written, accumulation) => {
  expect(await accumulationOf(written)).toBe(accumulation)
})

it('says which variable is missing, and on which line', async () => {
  const reading = await read(launch('$(expr 16 / $WORLD_SIZE)'), 'run.sh')
  const [problem] = reading.kind === 'unreadable' ? reading.problems : []
  expect(problem?.message).toContain('$WORLD_SIZE is not set in the file (line 3)')
})
