// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are the shell's
/** GPUs that a launcher counts in a list which stands in it. */
import { expect, it } from 'vitest'
import { read } from '../python/scripts.ts'

const launch =
  'torchrun --nproc_per_node=$COUNT run_clm.py --do_train --model_name_or_path gpt2 --per_device_train_batch_size 4\n'

async function gpusOf(script: string): Promise<number | string | undefined> {
  const reading = await read(`${script}\n${launch}`, 'run.sh')
  if (reading.kind === 'training-config') return reading.spec.gpus
  return reading.kind === 'unreadable' ? reading.problems[0]?.code : reading.kind
}

it.each([
  ["DEVICES=0,1,2,3\nCOUNT=$(echo $DEVICES | tr ',' '\\n' | wc -l)", 4],
  ['DEVICES="0,1"\nCOUNT=$(echo "${DEVICES}" | tr "," " " | wc -w)', 2],
  ["DEVICES=0,1,2\nCOUNT=$(echo $DEVICES | awk -F',' '{print NF}')", 3],
  ['ALL="4,5,6,7"\nCARDS=(${ALL//,/ })\nCOUNT=${#CARDS[@]}', 4],
  ['ALL="4,5,6,7"\nCARDS=(${ALL/,/ })\nCOUNT=${#CARDS[@]}', 2],
  ['CARDS=(0 1 2)\nCOUNT=${#CARDS[@]}', 3],
  ['LIST=0,1\nIFS=\',\' read -r -a CARDS <<< "$LIST"\nCOUNT="${#CARDS[@]}"', 2],
  // What a run alone tells stays open.
  ["COUNT=$(echo $DEVICES | tr ',' '\\n' | wc -l)", 'not-in-file'],
  ['IFS="," read -ra CARDS <<< "$1"\nCOUNT=${#CARDS[@]}', 'not-in-file'],
  ['CARDS=($(ls /dev/nvidia?))\nCOUNT=${#CARDS[@]}', 'not-in-file'],
  ['ALL=0,1\nCARDS=(${ALL//[,;]/ })\nCOUNT=${#CARDS[@]}', 'not-in-file'],
  ['COUNT=${#CARDS[@]}', 'not-in-file'],
  // It would be as long as 2^60.
  [`COUNT=1\n${'COUNT=${COUNT//1/11}\n'.repeat(60)}`, 'not-in-file'],
  [`CARDS=(0)\n${'CARDS=("${CARDS[@]}" "${CARDS[@]}")\n'.repeat(60)}COUNT=\${#CARDS[@]}`, 'not-in-file'],
])('%j', async (script, gpus) => {
  expect(await gpusOf(script)).toBe(gpus)
})

it('counts where the number is given', async () => {
  const launcher = `CARDS=(0 1 2)\n${launch.replace('$COUNT', '${#CARDS[@]}')}`
  expect(await read(launcher, 'run.sh')).toMatchObject({ kind: 'training-config', spec: { gpus: 3 } })
})
