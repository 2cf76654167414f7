// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are the shell's
/** Values that come from variables of the script: where they can be changed, and when they are not known. */
import { describe, expect, it } from 'vitest'
import { rewriteNumbers } from '../../../engine/config/text/rewrite.ts'
import { bert, read, trained } from './trained.ts'

describe('a value', () => {
  it.each([
    ['BS=16\n', '$BS'],
    ['export BS=16\n', '"${BS}"'],
    ['BS=16\nBS=${BS:-4}\n', '$BS'],
    ['', '${BS:-16}'],
    ['OTHER=16; BS=$OTHER\n', '$BS'],
    ['for BS in 16; do true; done\n', '$BS'],
    [': "${BS:=16}"\n', '$BS'],
    [': ${BS:=16} ${OTHER:=2}\n', '$BS'],
    ['', '`# samples` 16'],
    ['source settings.sh\nBS=16\n', '$BS'],
    ['BS=16\nsource .venv/bin/activate\n. ~/.bashrc\nsource .env\n', '$BS'],
  ])('set by %j and given as %s can be changed where its literal stands', async (before, given) => {
    const text = `${before}python train.py ${bert} --per_device_train_batch_size ${given}\n`
    const { batchSizeAt, spec } = await trained(text)
    expect(spec.microBatch).toBe(16)
    const rewrite = rewriteNumbers(text, [{ at: batchSizeAt!, from: 16, to: 24 }])
    if (rewrite.kind !== 'rewritten') throw new Error(JSON.stringify(rewrite))
    expect((await trained(rewrite.text)).spec.microBatch).toBe(24)
  })

  it.each([
    ['$((TOTAL / (PER_STEP * GPUS)))', 16],
    ['$(( $TOTAL / GPUS / ${PER_STEP} ))', 16],
    ['$((TOTAL - 100 % 16))', 508],
    ['$((7 / 2 + -1))', undefined],
    ['$((TOTAL / 0))', undefined],
    ['$((PER_STEP > 2 ? 8 : 4))', undefined],
    ['$((TOTAL / $(nproc)))', undefined],
    ['$((TOTAL / NODES))', undefined],
  ])('of arithmetic %s is %s, and is not changed in place', async (written, value) => {
    const text = `TOTAL=512\nPER_STEP=4\nGPUS=8\nBS=${written}\npython train.py ${bert} --per_device_train_batch_size $BS\n`
    const reading = await read(text)
    expect(reading.kind === 'training-config' ? reading.spec.microBatch : undefined).toBe(value)
    if (reading.kind !== 'training-config') return
    const change = { at: reading.batchSizeAt!, from: value!, to: 24 }
    expect(rewriteNumbers(text, [change])).toEqual({ kind: 'not-plain', at: change.at })
  })

  it.each([
    ['for M in gpt2 distilgpt2; do', '$M', 'gpt2', '$M'],
    ['NAMES=(gpt2 distilgpt2)\nfor M in "${NAMES[@]}"; do', '$M', 'gpt2', '$M'],
    ['NAMES=(\n  gpt2\n  distilgpt2\n)\nfor i in "${!NAMES[@]}"; do\n  M=${NAMES[$i]}', '${M}', 'gpt2', '$i'],
    ['NAMES=(gpt2 distilgpt2)\nfor RATE in 1e-4 1e-5; do', '${NAMES[1]}', 'distilgpt2', undefined],
  ])('of the first turn of a loop is read: %j', async (before, given, model, of) => {
    const text = `${before}\n  python train.py --model_name_or_path ${given} --per_device_train_batch_size 16\ndone\n`
    const { spec, assumptions } = await trained(text)
    expect(spec).toMatchObject({ model: expect.stringContaining(model), microBatch: 16 })
    const told = assumptions.filter(each => each.startsWith('Of the 2 turns of the loop over'))
    expect(told).toHaveLength(of === undefined ? 0 : 1)
    if (of !== undefined) expect(told[0]).toMatch(/, the first is read\.$/)
  })

  it.each([
    ['for BS in 8 16; do', '$BS', "$BS is one of a loop's values (line 1)"],
    ['SIZES=(8 16)\nfor i in "${!SIZES[@]}"; do', '${SIZES[$i]}', "${SIZES[$i]} is one of a loop's values (line 3)"],
    ['for M in gpt2 distilgpt2; do\n  BS=16\ndone\nfor M in gpt2; do', '$BS', 'it is set in a loop (line 1)'],
  ])('of several turns of a loop that try sizes, or behind it, is asked for: %j', async (before, given, why) => {
    const reading = await read(`${before}\n  python train.py ${bert} --per_device_train_batch_size ${given}\ndone\n`)
    const message = reading.kind === 'unreadable' ? reading.problems[0]?.message : JSON.stringify(reading)
    expect(message).toContain(why)
  })

  it('set by an argument of the script alone, in a loop over them, is asked for by that', async () => {
    const loop = 'while (( "$#" )); do\n  case "$1" in\n    --bs) BS="$2"; shift 2 ;;\n  esac\ndone\n'
    const reading = await read(`${loop}python train.py ${bert} --per_device_train_batch_size $BS\n`)
    const message = reading.kind === 'unreadable' ? reading.problems[0]?.message : undefined
    expect(message).toContain('$2 is an argument of the script (line 3)')
  })

  it.each([
    ['if [ -n "$CI" ]; then BS=2; fi\n', 'it is set under a condition (line 2)'],
    ['source settings.sh\n', '$BS may be set anew by what settings.sh holds (line 2)'],
    ['. ./sizes/large.env\n', '$BS may be set anew by what ./sizes/large.env holds (line 2)'],
    ['read BS\n', '$BS is read when it runs (line 2)'],
    ['BS=$(nproc)\n', '$(nproc) is computed when it runs (line 2)'],
    ['BS=$1\n', '$1 is an argument of the script (line 2)'],
    ['while true; do BS=2; done\n', 'it is set in a loop (line 2)'],
  ])('set by %j is asked for by name', async (before, why) => {
    const reading = await read(`BS=16\n${before}python train.py ${bert} --per_device_train_batch_size $BS\n`)
    const message = reading.kind === 'unreadable' ? reading.problems[0]?.message : undefined
    expect(message).toContain(why)
  })
})

it.each([
  'while (( "$#" )); do case "$1" in --bs) BS="$2"; shift 2 ;; *) exit 1 ;; esac; done\n',
  'while [[ $# -gt 0 ]]; do case $1 in -b) BS=$2; shift 2;; --bs) BS=$2; shift 2;; esac; done\n',
  'while getopts "b:" option; do case $option in b) BS=$OPTARG ;; esac; done\n',
  'BS=$1\n',
])('what only an argument sets has the default that stands after %j', async options => {
  const launch = (size: string) => `${options}BS=${size}\npython train.py ${bert} --per_device_train_batch_size $BS\n`
  const { spec, assumptions } = await trained(launch('${BS:-16}'))
  expect(spec.microBatch).toBe(16)
  expect(assumptions.join(' ')).toContain(
    '16 is the default of ${BS:-16} (train.sh, line 2), which the environment or an argument may override.',
  )
  expect(await read(launch('${BS}'))).toMatchObject({ kind: 'unreadable' })
})

it('what the script’s own options may override counts as it is set, and says so', async () => {
  const options = 'BS=16\nwhile [[ $# -gt 0 ]]; do case $1 in -b) BS=$2; shift;; esac; shift; done\n'
  const { spec, batchSizeAt, assumptions } = await trained(
    `${options}python train.py ${bert} --per_device_train_batch_size $BS\n`,
  )
  expect(spec.microBatch).toBe(16)
  expect(batchSizeAt).toEqual({ line: 1, column: 4 })
  expect(assumptions).toContain(
    '16 is what BS is set to (train.sh, line 1), which an argument of the script may override (line 2).',
  )
})

it('what stands between backticks as a comment is no argument', async () => {
  const options = '--per_device_train_batch_size 8 `# --fp16 True` --gradient_accumulation_steps 2'
  const { spec, assumptions } = await trained(`python train.py ${bert} ${options}\n`)
  expect(spec).toMatchObject({ microBatch: 8, gradientAccumulation: 2, precision: 'fp32' })
  expect(assumptions.join('\n')).not.toContain('Further arguments')
})
