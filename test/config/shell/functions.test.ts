// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are the shell's
/** What a script's functions start, by the words that they are called with. */
import { describe, expect, it } from 'vitest'
import { rewriteNumbers } from '../../../engine/config/text/rewrite.ts'
import { bert, read, trained } from './trained.ts'

const sized = (size: string) => `python train.py ${bert} --per_device_train_batch_size ${size}`

describe('the size that a function starts a training with', () => {
  it.each([
    ['its argument', `run() {\n  ${sized('$2')}\n}\nrun bert 16\n`],
    ['a variable of its own', `run() {\n  local name=$1 size=$2\n  ${sized('"$size"')}\n}\nrun bert 16\n`],
    ['all of its arguments', `function run {\n  ${sized('"$@"')}\n}\nrun 16\n`],
    ['what is left of them', `run() {\n  shift\n  ${sized('$1')}\n}\nrun 8 16\n`],
    ['a default', `run() {\n  ${sized('${2:-16}')}\n}\nrun bert\n`],
    ['what it hands to another', `start() { ${sized('$1')}; }\nrun() { start "$2"; }\nrun bert 16\n`],
    ['what is set where it is called', `run() {\n  ${sized('$BS')}\n}\nBS=16\nrun\nBS=4\n`],
    ['its own, not that of another call', `set_size() { local BS=4; }\nBS=16\nset_size\n${sized('$BS')}\n`],
  ])('is %s', async (_, text) => {
    expect((await trained(text)).spec.microBatch).toBe(16)
  })

  it('can be changed where it is called', async () => {
    const text = `run() {\n  ${sized('$1')}\n}\nrun 16\n`
    const { batchSizeAt } = await trained(text)
    expect(rewriteNumbers(text, [{ at: batchSizeAt!, from: 16, to: 24 }])).toMatchObject({
      text: text.replace('run 16', 'run 24'),
    })
  })

  it('is that of each call', async () => {
    const reading = await read(`run() {\n  ${sized('$1')}\n}\nrun 16\nrun 32\nrun 32\n`)
    expect(reading).toMatchObject({ kind: 'several-trainings', trainings: [{ line: 2 }, { line: 2 }] })
  })

  it.each([
    ['nobody calls', `run() {\n  ${sized('$1')}\n}\n`, '$1 is an argument of the script (line 2)'],
    ['calls itself', `run() {\n  run\n  ${sized('$1')}\n}\nrun\n`, '$1 is an argument of the script (line 3)'],
    ['is given too little', `run() {\n  ${sized('$2')}\n}\nrun 16\n`, '$2 is an argument of the script (line 2)'],
    ['is given what a run knows', `run() {\n  ${sized('$1')}\n}\nrun $BS\n`, '$BS is not set in the file (line 4)'],
    ['drops as many as a run says', `run() {\n  shift $N\n  ${sized('$1')}\n}\nrun 16 8\n`, '$1 is an argument'],
  ])('is asked for where the function %s', async (_, text, why) => {
    const reading = await read(text)
    expect(reading.kind === 'unreadable' ? reading.problems[0]?.message : reading).toContain(why)
  })
})

it.each([
  `COMMAND="${sized('16')}"\necho $COMMAND\neval $COMMAND\n`,
  `COMMAND="${sized('16')}"\neval "$COMMAND"\n`,
  `docker run --rm --gpus all -v "$PWD:/work" -w /work image:1.2 ${sized('16')}\n`,
  `docker compose run --rm trainer ${sized('16')}\n`,
])('%j runs the command', async text => {
  expect((await trained(text)).spec.microBatch).toBe(16)
})
