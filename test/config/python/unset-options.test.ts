/** An option of a parser that nobody gives is None: conditions on it are decided, values that come of it are not. */
import { describe, expect, it } from 'vitest'
import { finetuning, problems, trained } from './scripts.ts'

const parsed = (option: string, then: string) =>
  finetuning(
    `import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument(${option})\nargs = parser.parse_args()\n${then}`,
    'per_device_train_batch_size=b',
  )
const either = (condition: string) => `if ${condition}:\n    b = 3\nelse:\n    b = 12`

describe('an option without a default', () => {
  it.each([
    ['args.old', 12],
    ['not args.old', 3],
    ['args.old is None', 3],
    ['args.old is not None', 12],
    ['args.old == "last"', 12],
    ['args.old != "last"', 3],
    ['args.old and True', 12],
  ])('decides whether %s holds', async (condition, batch) => {
    expect((await trained(parsed('"--old"', either(condition)))).spec.microBatch).toBe(batch)
  })

  it.each(['args.old.endswith("x")', 'args.old > 3', 'f"{args.old}-x"', 'int(args.old)', 'find(args.old)'])(
    'decides nothing of %s',
    async condition => {
      expect(await problems(parsed('"--old"', either(condition)))).toMatchObject([{ code: 'not-in-file' }])
    },
  )

  it.each(['"--old", required=True', '"old"'])('is given where the parser asks for it: %s', async option => {
    expect(await problems(parsed(option, either('args.old')))).toMatchObject([{ code: 'not-in-file' }])
  })

  it('is asked for where it is the value', async () => {
    expect(await problems(parsed('"--old", type=int', 'b = args.old'))).toMatchObject([
      { code: 'not-in-file', message: expect.stringContaining('has no default') },
    ])
  })
})

describe('what the default of an option decides is told', () => {
  const modes = (option: string) => parsed(option, either('args.mode == "small"'))

  it.each([
    ['"--mode", default="large"', 12, '"large" is the default of --mode (line 4)'],
    ['"--mode", default="small"', 3, '"small" is the default of --mode (line 4)'],
    ['"--mode"', 12, 'None is the default of --mode (line 4)'],
  ])('of %s', async (option, batch, remark) => {
    const { spec, assumptions } = await trained(modes(option))
    expect(spec.microBatch).toBe(batch)
    expect(assumptions).toContain(`${remark}, which the command line may override.`)
  })

  it('and nothing of a condition that the file itself decides', async () => {
    const { assumptions } = await trained(parsed('"--mode", default="large"', either('2 > 1')))
    expect(assumptions.join(' ')).not.toContain('--mode')
  })
})
