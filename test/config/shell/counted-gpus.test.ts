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
  ["COUNT=$(cat devices | tr ',' '\\n' | wc -l)", 'not-in-file'],
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

const counting = '$(nvidia-smi --query-gpu=name --format=csv,noheader | wc -l)'
const job = '#!/bin/bash\n#SBATCH --nodes=1\n#SBATCH --gres=gpu:a100:4\n'

it.each([
  ['COUNT=$(nvidia-smi -L | wc -l)', 4],
  [`COUNT=${counting}`, 4],
  ['COUNT=$(nvidia-smi --list-gpus | grep A100 | wc -l)', 4],
  ['COUNT=$(python -c "import torch; print(torch.cuda.device_count())")', 4],
  ["COUNT=$(echo $SLURM_JOB_GPUS | tr ',' '\\n' | wc -l)", 4],
  ['COUNT=$(( $(echo $SLURM_JOB_GPUS| grep -o , | wc -l) + 1 ))', 4],
  [`COUNT=$(( ${counting} / 2 ))`, 2],
  // What the script sets itself is counted, whatever the job asks for.
  ["CUDA_VISIBLE_DEVICES=0,1\nCOUNT=$(echo $CUDA_VISIBLE_DEVICES | grep -o ',' | wc -l)", 1],
  ['CUDA_VISIBLE_DEVICES=0,1\nCOUNT=$(python -c "import torch; print(torch.cuda.device_count())")', 1],
  ["COUNT=$(cat masks | tr ',' '\\n' | wc -l)", 'not-in-file'],
  ['COUNT=$(( $(hostname | wc -l) + 1 ))', 'not-in-file'],
])('a job of four GPUs: %j', async (script, gpus) => {
  expect(await gpusOf(`${job}${script}`)).toBe(gpus)
})

it('names what the count of a job is taken for', async () => {
  const reading = await read(`${job}COUNT=${counting}\n${launch}`, 'run.sh')
  if (reading.kind !== 'training-config') throw new Error(JSON.stringify(reading))
  expect(reading.assumptions.join(' ')).toContain(
    `${counting} is taken to count the 4 GPUs that the job asks for (line 3).`,
  )
})
