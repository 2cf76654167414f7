// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are the shell's
/** What a launcher sets behind a test or a command that may fail: `[ -n "$AMP" ] && FLAGS="$FLAGS --fp16"`. */
import { describe, expect, it } from 'vitest'
import { bert, read, trained } from './trained.ts'

const launch = (before: string, given = '--per_device_train_batch_size 8 $FLAGS') =>
  `${before}\npython train.py ${bert} ${given}\n`

const asked = { code: 'not-in-file', message: expect.stringContaining('it is set under a condition') }

describe('behind a test', () => {
  it.each([
    ['AMP=1\n[[ $AMP == 1 ]] && FLAGS="--fp16"', 'amp-fp16'],
    ['AMP=0\n[[ $AMP == 1 ]] && FLAGS="--fp16" || FLAGS="--bf16"', 'amp-bf16'],
    ['AMP=1\n[ "$AMP" = 1 ] && FLAGS="--fp16" || FLAGS="--bf16"', 'amp-fp16'],
    ['AMP=0\n[ "$AMP" = 1 ] || FLAGS="--bf16"', 'amp-bf16'],
    ['AMP=0\ntest "$AMP" = 1 && FLAGS="--bf16"', 'fp32'],
  ])('that the file decides counts: %j', async (before, precision) => {
    expect((await trained(launch(before))).spec.precision).toBe(precision)
  })

  it.each([
    'FLAGS="--seed 1"\n[ -n "$AMP" ] && FLAGS="$FLAGS --fp16"',
    'FLAGS="--seed 1"\nif [ "$AMP" = 1 ]; then FLAGS="${FLAGS} --fp16"; fi',
    'FLAGS=()\n[[ $AMP == 1 ]] && FLAGS+=(--fp16)',
  ])('that a run decides, what it adds is asked for: %j', async before => {
    const given = before.includes('()') ? '"${FLAGS[@]}"' : '$FLAGS'
    const reading = await read(launch(before, `--per_device_train_batch_size 8 ${given}`))
    expect(reading).toMatchObject({ kind: 'unreadable', problems: [asked] })
  })

  it('what it sets has the default of a variable that the file sets nowhere', async () => {
    const text = launch('[ -z "$BS" ] && BS=16', '--per_device_train_batch_size $BS')
    const { spec, assumptions } = await trained(text)
    expect(spec.microBatch).toBe(16)
    expect(assumptions).toContain(
      '$BS is taken not to be set, which the environment may do: $BS is not set in the file (line 1).',
    )
  })
})

it('what is set where a command fails is asked for', async () => {
  const text = launch('BS=16\nnvidia-smi || BS=2', '--per_device_train_batch_size $BS')
  expect(await read(text)).toMatchObject({ kind: 'unreadable', problems: [asked] })
})

it.each(['mkdir -p out && BS=16', 'cd src && export BS=16', 'BS=16 && OTHER=2'])('%s sets it', async before => {
  const { spec } = await trained(launch(before, '--per_device_train_batch_size $BS'))
  expect(spec.microBatch).toBe(16)
})

describe('the case of a word', () => {
  const cases = (word: string) =>
    launch(
      `MODE=\${1:-small}\nKIND=fast\ncase ${word} in\n  small|tiny) BS=8 ;;\n  fast*) BS=24 ;;\n  *) BS=64 ;;\nesac`,
      '--per_device_train_batch_size $BS',
    ).replace(word === '$KIND' ? 'none' : 'fast*', 'fast')

  it.each([
    ['$MODE', 8],
    ['large', 64],
    ['"tiny"', 8],
  ])('%s is the one that the file names', async (word, batch) => {
    expect((await trained(cases(word))).spec.microBatch).toBe(batch)
  })

  it('says that an argument of the script may name another', async () => {
    expect((await trained(cases('$MODE'))).assumptions.join('\n')).toContain('small is the default of ${1:-small}')
  })

  it.each([
    ['that only a run knows', '$2'],
    ['that a pattern may match', '$KIND'],
  ])('%s is asked for', async (_, word) => {
    expect(await read(cases(word))).toMatchObject({ kind: 'unreadable', problems: [asked] })
  })
})
