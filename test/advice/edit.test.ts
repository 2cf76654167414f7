import { describe, expect, test } from 'vitest'
import { withSettings } from '../../engine/advice/edit/edit.ts'
import type { KeySetting } from '../../engine/advice/tools/tool.ts'

const liger: readonly KeySetting[] = [{ keys: ['use_liger_kernel'], value: true }]

/** Beside `at`, the text of the batch size's value. */
function edited(path: string, text: string, settings: readonly KeySetting[], at = '8') {
  const offset = text.indexOf(at)
  const line = text.slice(0, offset).split('\n').length
  const column = offset - text.lastIndexOf('\n', offset - 1)
  return withSettings({ path, text, ...(offset >= 0 && { batchSizeAt: { line, column } }) }, settings)
}

describe('in Python without a batch size', () => {
  test('a keyword becomes the first argument of the only call that would take it', () => {
    expect(edited('a.py', 'SFTConfig(output_dir="o")\n', liger)).toBe(
      'SFTConfig(use_liger_kernel=True, output_dir="o")\n',
    )
    expect(edited('a.py', 'TrainingArguments()\n', liger)).toBe('TrainingArguments(use_liger_kernel=True)\n')
    expect(edited('a.py', 'SFTConfig(\n    output_dir="o",\n)\n', liger)).toBe(
      'SFTConfig(\n    use_liger_kernel=True,\n    output_dir="o",\n)\n',
    )
  })

  test('none does where two calls would, before a positional argument, or in another call', () => {
    expect(edited('a.py', 'SFTConfig(a=1)\nSFTConfig(b=1)\n', liger)).toBeUndefined()
    expect(edited('a.py', 'TrainingArguments("o", a=1)\n', liger)).toBeUndefined()
    expect(edited('a.py', 'LoraConfig(r=1)\n', liger)).toBeUndefined()
  })
})

describe('in YAML', () => {
  test('a key is added behind the batch size, with its indent, and everything else stays', () => {
    const text = '# top\ntraining:\n  batch: 8   # per GPU\n  other: [1, 2]\n'
    expect(edited('a.yaml', text, liger)).toBe(
      '# top\ntraining:\n  batch: 8   # per GPU\n  use_liger_kernel: true\n  other: [1, 2]\n',
    )
  })

  test('a key is commented out where it has a line of its own, beside others', () => {
    const off: readonly KeySetting[] = [{ at: ['optimizer'], keys: ['fused'], isCommentedOut: true }]
    const text = 'batch: 8\noptimizer:\n  name: adamw\n  fused: true  # faster\n'
    expect(edited('a.yaml', text, off)).toBe('batch: 8\noptimizer:\n  name: adamw\n  # fused: true  # faster\n')
    expect(edited('a.yaml', 'batch: 8\noptimizer:\n  name: adamw\n', off)).toBe('batch: 8\noptimizer:\n  name: adamw\n')
    expect(edited('a.yaml', 'batch: 8\noptimizer: {name: adamw, fused: true}\n', off)).toBeUndefined()
    expect(edited('a.yaml', 'batch: 8\noptimizer:\n  fused: true\n', off)).toBeUndefined()
    expect(edited('a.toml', 'batch = 8\n[optimizer]\nfused = true\n', off)).toBeUndefined()
  })

  test('several keys are added in their order', () => {
    const settings: readonly KeySetting[] = [
      { keys: ['adapter'], value: 'lora' },
      { keys: ['lora_r'], value: 16 },
    ]
    expect(edited('a.yml', 'batch: 8\n', settings)).toBe('batch: 8\nadapter: lora\nlora_r: 16\n')
  })

  test('the ends of lines are kept, and the last line may have none', () => {
    expect(edited('a.yaml', 'a: 1\r\nbatch: 8\r\nb: 2\r\n', liger)).toBe(
      'a: 1\r\nbatch: 8\r\nuse_liger_kernel: true\r\nb: 2\r\n',
    )
    expect(edited('a.yaml', 'batch: 8', liger)).toBe('batch: 8\nuse_liger_kernel: true')
  })

  test('a value is changed where it stands, whatever its name and however it is quoted', () => {
    const optim: readonly KeySetting[] = [{ keys: ['optim', 'optimizer'], value: 'adafactor' }]
    expect(edited('a.yaml', "batch: 8\noptimizer: 'adamw'  # why\n", optim)).toBe(
      'batch: 8\noptimizer: adafactor  # why\n',
    )
    expect(edited('a.yaml', 'batch: 8\noptim:\nx: 1\n', optim)).toBe('batch: 8\noptim: adafactor\nx: 1\n')
  })

  test('a list that stands there gains an entry, once', () => {
    const plugin: readonly KeySetting[] = [{ keys: ['plugins'], value: ['b.B'], entry: 'b.B' }]
    expect(edited('a.yaml', 'batch: 8\nplugins:\n  - a.A\n', plugin)).toBe('batch: 8\nplugins:\n  - b.B\n  - a.A\n')
    expect(edited('a.yaml', 'batch: 8\nplugins: [a.A]\n', plugin)).toBe('batch: 8\nplugins: [b.B, a.A]\n')
    expect(edited('a.yaml', 'batch: 8\nplugins:\n  - b.B\n', plugin)).toBe('batch: 8\nplugins:\n  - b.B\n')
  })

  test('what others refer to, and what spans lines, is left to a person', () => {
    const optim: readonly KeySetting[] = [{ keys: ['optim'], value: 'adafactor' }]
    expect(edited('a.yaml', 'batch: 8\noptim: &o adamw\nother: *o\n', optim)).toBeUndefined()
    expect(edited('a.yaml', 'batch: 8\nx: &o adamw\noptim: *o\n', optim)).toBeUndefined()
    expect(edited('a.yaml', 'batch: 8\noptim: >\n  adamw\n', optim)).toBeUndefined()
    expect(edited('a.yaml', '- batch: 8\n', liger)).toBeUndefined()
  })

  test('words that YAML takes for something else are quoted', () => {
    expect(edited('a.yaml', 'batch: 8\n', [{ keys: ['x'], value: 'on' }])).toBe('batch: 8\nx: "on"\n')
  })
})

test('JSON stays JSON, on one line and on several', () => {
  const one = edited('a.json', '{"batch": 8, "lr": 1}', liger) ?? ''
  expect(one).toBe('{"use_liger_kernel": true, "batch": 8, "lr": 1}')
  const several = edited('a.json', '{\n  "batch": 8,\n  "lr": 1\n}\n', liger) ?? ''
  expect(several).toBe('{\n  "use_liger_kernel": true,\n  "batch": 8,\n  "lr": 1\n}\n')
  for (const text of [one, several]) expect(JSON.parse(text)).toEqual({ batch: 8, lr: 1, use_liger_kernel: true })
})

describe('in TOML', () => {
  const text = '[training]\n  batch = 8  # per GPU\n  steps = 1\n\n[other]\nbatch = 2\n'
  const within = (table: string, key: string, value: boolean | string | number): readonly KeySetting[] => [
    { at: [table], keys: [key], value },
  ]

  test('a value is changed in its own table, and what follows it stays', () => {
    expect(edited('a.toml', text, within('training', 'batch', 4))).toBe(text.replace('8', '4'))
    expect(edited('a.toml', text, within('other', 'batch', 4))).toBe(text.replace('2', '4'))
    const quoted = '[a]\nmode = \'none\' # ["none", "full"]\n'
    expect(edited('a.toml', quoted, within('a', 'mode', 'full'))).toBe(quoted.replace("'none'", '"full"'))
  })

  test('a key is added behind the batch size, or behind the header of its table', () => {
    const added = within('training', 'length', 2)
    expect(edited('a.toml', text, added)).toBe(text.replace('GPU\n', 'GPU\n  length = 2\n'))
    expect(edited('a.toml', text, within('other', 'on', true))).toBe(text.replace('[other]\n', '[other]\non = true\n'))
  })

  test('a table is added at the end, with all of its keys in their order', () => {
    const settings = [...within('compile', 'enable', true), ...within('compile', 'mode', 'x')]
    expect(edited('a.toml', text, settings)).toBe(`${text}\n[compile]\nenable = true\nmode = "x"\n`)
    expect(edited('a.toml', text.trimEnd(), within('compile', 'enable', true))).toBe(
      `${text}\n[compile]\nenable = true\n`,
    )
  })

  test('the ends of lines are kept', () => {
    const windows = text.replaceAll('\n', '\r\n')
    expect(edited('a.toml', windows, within('training', 'length', 2))).toBe(
      windows.replace('GPU\r\n', 'GPU\r\n  length = 2\r\n'),
    )
    expect(edited('a.toml', windows, within('b', 'c', 1))).toBe(`${windows}\r\n[b]\r\nc = 1\r\n`)
  })

  test('what goes over lines is left to a person', () => {
    expect(edited('a.toml', '[a]\nb = [\n  1,\n]\n', within('a', 'b', 2))).toBeUndefined()
    expect(edited('a.toml', '[a]\nb = """\nx"""\n', within('a', 'b', 2))).toBeUndefined()
  })
})

describe('in Python', () => {
  test('a keyword is added before the batch size, on its own line or beside it', () => {
    expect(edited('a.py', 'A(\n    batch=8,\n)\n', liger)).toBe('A(\n    use_liger_kernel=True,\n    batch=8,\n)\n')
    expect(edited('a.py', 'A(lr=1, batch=8)\n', liger)).toBe('A(lr=1, use_liger_kernel=True, batch=8)\n')
  })

  test('a keyword that stands there gets another value; of two, neither does', () => {
    const optim: readonly KeySetting[] = [{ keys: ['optim'], value: 'adafactor' }]
    expect(edited('a.py', 'A(batch=8, optim="adamw_torch")\n', optim)).toBe("A(batch=8, optim='adafactor')\n")
    expect(edited('a.py', 'A(batch=8, optim=pick(1))\n', optim)).toBeUndefined()
    expect(edited('a.py', 'A(batch=8, optim="a")\nB(optim="b")\n', optim)).toBeUndefined()
  })

  test('what another call takes is not added', () => {
    const attention: readonly KeySetting[] = [{ keys: ['attn_implementation'], value: 'sdpa', elsewhere: true }]
    expect(edited('a.py', 'A(batch=8)\n', attention)).toBeUndefined()
    expect(edited('a.py', "B(attn_implementation='eager')\nA(batch=8)\n", attention)).toBe(
      "B(attn_implementation='sdpa')\nA(batch=8)\n",
    )
  })

  test('a notebook stays JSON', () => {
    const text = JSON.stringify({ source: ['A(batch=8, x="y")\n'] })
    const after = edited('a.ipynb', text, [{ keys: ['optim'], value: 'adafactor' }]) ?? ''
    expect(JSON.parse(after).source[0]).toBe('A(optim=\'adafactor\', batch=8, x="y")\n')
  })
})

describe('in the shell', () => {
  test('an option is added, on a line of its own where the command goes over several', () => {
    expect(edited('a.sh', 'train \\\n  --batch 8 \\\n  --lr 1\n', liger)).toBe(
      'train \\\n  --use_liger_kernel True \\\n  --batch 8 \\\n  --lr 1\n',
    )
    expect(edited('a.sh', 'train --batch=8\n', liger)).toBe('train --use_liger_kernel True --batch=8\n')
  })

  test('an option that stands there gets another value, and a switch stays one', () => {
    const optim: readonly KeySetting[] = [{ keys: ['optim'], value: 'adafactor' }]
    expect(edited('a.sh', 'train --batch 8 --optim adamw --lr 1\n', optim)).toBe(
      'train --batch 8 --optim adafactor --lr 1\n',
    )
    expect(edited('a.sh', 'train --batch 8 --use_liger_kernel --lr 1\n', liger)).toBe(
      'train --batch 8 --use_liger_kernel --lr 1\n',
    )
  })
})
