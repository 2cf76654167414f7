/** Names that a match, a function or a loop sets. */
import { describe, expect, it } from 'vitest'
import { problems, trained } from '../scripts.ts'

describe('a name that is set', () => {
  const batch = (above: string) => `import argparse, sys
from trl import SFTConfig, SFTTrainer
batch = 4
${above}
arguments = SFTConfig(per_device_train_batch_size=batch, max_length=512)
SFTTrainer(model="gpt2", args=arguments, train_dataset=data).train()
`
  const cases = (of: string) =>
    `match ${of}:\n    case "small" | "tiny":\n        batch = 8\n    case _:\n        batch = 2`

  it('in a case of a match counts where its literal is matched', async () => {
    expect((await trained(batch(`size = "tiny"\n${cases('size')}`))).spec.microBatch).toBe(8)
    expect((await trained(batch(`size = "big"\n${cases('size')}`))).spec.microBatch).toBe(2)
    expect((await trained(batch('match 3:\n    case 4:\n        batch = 8'))).spec.microBatch).toBe(4)
  })

  it.each([
    ['in a match of what a run knows', cases('sys.argv[1]')],
    ['in a case with a guard', 'match 3:\n    case 3 if sys.argv:\n        batch = 8'],
    ['in a case of a class', 'match sys:\n    case Size():\n        batch = 8'],
    [
      'globally by a function that may be called',
      'def grow():\n    global batch\n    batch = 8\nif sys.argv:\n    grow()',
    ],
  ])('%s is asked for', async (_, above) => {
    const [problem] = await problems(batch(above))
    expect(problem).toMatchObject({ code: 'not-in-file', field: 'per_device_train_batch_size' })
  })

  it('globally by a function counts where it is called', async () => {
    const grow = 'def grow():\n    global batch\n    batch = 8\n'
    expect((await trained(batch(`${grow}grow()`))).spec.microBatch).toBe(8)
    expect((await trained(batch(grow))).spec.microBatch).toBe(4)
  })

  it('of a parser that is given its words in the code is asked for', async () => {
    const parser = (words: string) =>
      `parser = argparse.ArgumentParser()\nparser.add_argument("--batch", type=int, default=16)\nbatch = parser.parse_args(${words}).batch`
    for (const none of ['', '[]', 'sys.argv[1:]']) expect((await trained(batch(parser(none)))).spec.microBatch).toBe(16)
    const [problem] = await problems(batch(parser('["--batch", "32"]')))
    expect(problem?.message).toContain('batch may be set by')
  })

  it('in a dictionary under a key that a run chooses is asked for, unless it is set after that', async () => {
    const merge = 'options = {"batch": 8}\nfor key, value in loaded.items():\n    options[key] = value\n'
    const [problem] = await problems(batch(`${merge}batch = options["batch"]`))
    expect(problem?.message).toContain('whether options is changed under "batch" depends on "key" (line 6)')
    const after = await trained(batch(`${merge}options["batch"] = 32\nbatch = options["batch"]`))
    expect(after.spec.microBatch).toBe(32)
  })
})
