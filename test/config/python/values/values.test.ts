/** Where a script's numbers come from, as far as its text says. */
import { describe, expect, it, test } from 'vitest'
import { finetuning, problems, read, readBeside, trained } from '../scripts.ts'

const batch = 'per_device_train_batch_size'

describe('a batch size is read from', () => {
  it.each([
    ['a literal', '', `${batch}=12`, { line: 4, column: 72 }],
    ['a constant', 'BATCH = 12', `${batch}=BATCH`, { line: 2, column: 9 }],
    ['the last assignment', 'b = 3\nb = 12', `${batch}=b`, { line: 3, column: 5 }],
    ['both of a pair', 'epochs, b = 3, 12', `${batch}=b`, { line: 2, column: 16 }],
    ['arithmetic', 'n = 3', `${batch}=n * 4`, { line: 4, column: 72 }],
    ['a script that is run itself', 'b = 12 if __name__ == "__main__" else 3', `${batch}=b`, { line: 2, column: 5 }],
    [
      'a field of a dataclass',
      '@dataclass\nclass C:\n    b: int = 12\nc = C()',
      `${batch}=c.b`,
      { line: 4, column: 14 },
    ],
    [
      'a property',
      'class C:\n    @property\n    def b(self):\n        return self.half * 2\n    half = 6\nc = C()',
      `${batch}=c.b`,
      { line: 5, column: 16 },
    ],
    [
      'a property of what it inherits, with a setter',
      'class A:\n    @functools.cached_property\n    def b(self):\n        return 12\n    @b.setter\n    def b(self, b):\n        pass\nclass C(A):\n    pass\nc = C()',
      `${batch}=c.b`,
      { line: 5, column: 16 },
    ],
    ['what a dataclass is given', 'class C:\n    b: int = 3\nc = C(b=12)', `${batch}=c.b`, { line: 4, column: 9 }],
    ['field(default=…)', 'class C:\n    b: int = field(default=12)\nc = C()', `${batch}=c.b`, { line: 3, column: 28 }],
    [
      'what a field makes by default',
      'class C:\n    b: int = field(default_factory=lambda: 12)\nc = C()',
      `${batch}=c.b`,
      { line: 3, column: 44 },
    ],
    [
      'what __post_init__ puts in place of None',
      'class C:\n    b: int = None\n    def __post_init__(self):\n        if self.b is None:\n            self.b = 12\nc = C()',
      `${batch}=c.b`,
      { line: 6, column: 22 },
    ],
    [
      'what a dataclass is given in place of what __post_init__ would set',
      'class C:\n    b: int = None\n    def __post_init__(self):\n        if self.b is None:\n            self.b = 3\nc = C(b=12)',
      `${batch}=c.b`,
      { line: 7, column: 9 },
    ],
    [
      'a dictionary without what the release does not know',
      'known = known_names()\no = {"b": 12}\no = {k: v for k, v in o.items() if k in known}',
      `${batch}=o["b"]`,
      { line: 3, column: 11 },
    ],
    [
      'a dictionary without what is not set',
      'o = {"b": 12, "c": None}\no = {name: given for name, given in o.items() if given is not None}',
      `${batch}=o["b"]`,
      { line: 2, column: 11 },
    ],
    [
      'what a function passes on by **',
      'def arguments(path, **rest):\n    return dict(rest)\nc = arguments("out", b=12)',
      `${batch}=c["b"]`,
      { line: 4, column: 24 },
    ],
    [
      'a dictionary, not as a branch that is not taken would update it',
      'o = {"b": 12}\nbits = 16\nif bits in [4, 8]:\n    o.update(b=3)',
      `${batch}=o["b"]`,
      { line: 2, column: 11 },
    ],
    [
      'a dictionary as a branch that is taken updates it',
      'o = {"b": 3}\nbits = 4\nif bits in [4, 8]:\n    o.update(dict(b=12))',
      `${batch}=o["b"]`,
      { line: 5, column: 21 },
    ],
    [
      'a text that is split and stripped',
      'b = [w.strip() for w in "gpt2, 12".split(",") if w.strip()]',
      `${batch}=int(b[1])`,
      { line: 2, column: 25 },
    ],
    [
      'all of a text that is split',
      'b = [w for w in "gpt2,12".split(",")]',
      `${batch}=int(b[1])`,
      { line: 2, column: 17 },
    ],
    ['a text that is split', 'b = "gpt2,12".split(",")', `${batch}=int(b[1])`, { line: 2, column: 5 }],
    [
      'the branch of an NVIDIA GPU',
      'def size():\n    if torch.backends.mps.is_available():\n        return 3\n    if torch.cuda.is_available():\n        return 12\n    return 1',
      `${batch}=size()`,
      { line: 6, column: 16 },
    ],
    ['vars() of a namespace', 'c = vars(SimpleNamespace(b=12))', `${batch}=c["b"]`, { line: 2, column: 28 }],
    ['a base class', 'class A:\n    b = 12\nclass C(A):\n    pass', `${batch}=C.b`, { line: 3, column: 9 }],
    ['a dictionary', 'c = {"b": 12}', `${batch}=c["b"]`, { line: 2, column: 11 }],
    ['what is set in a dictionary', 'c = {}\nc["b"] = 12', `${batch}=c["b"]`, { line: 3, column: 10 }],
    ['a dictionary with a default', 'c = {}', `${batch}=c.get("b", 12)`, { line: 4, column: 83 }],
    ['dict()', 'c = dict(b=12)', `${batch}=c["b"]`, { line: 2, column: 12 }],
    ['an unpacked dictionary', `c = {"${batch}": 12}`, '**c', { line: 2, column: 37 }],
    ['a namespace', 'c = SimpleNamespace(b=12)', `${batch}=c.b`, { line: 2, column: 23 }],
    ['a function', 'def b():\n    return 12', `${batch}=b()`, { line: 3, column: 12 }],
    ['what a function is called with', 'def b(n):\n    return n\n', `${batch}=b(12)`, { line: 6, column: 74 }],
    ['the branch that is taken', 'big = False\nb = 64 if big else 12', `${batch}=b`, { line: 3, column: 20 }],
    ['an if that is not taken', 'b = 12\nif 1 > 2:\n    b = 64', `${batch}=b`, { line: 2, column: 5 }],
    [
      'an attribute of a class',
      'class T:\n    def __init__(self):\n        self.b = 12\nt = T()',
      `${batch}=t.b`,
      { line: 4, column: 18 },
    ],
    ['a global of the file', 'if __name__ == "__main__":\n    b = 12', `${batch}=b`, { line: 3, column: 9 }],
    ['int() of text', 'b = int("12")', `${batch}=b`, { line: 2, column: 9 }],
  ])('%s', async (_, above, given, at) => {
    const { spec, batchSizeAt } = await trained(finetuning(above, given))
    expect({ microBatch: spec.microBatch, at: batchSizeAt }).toEqual({ microBatch: 12, at })
  })

  it.each([
    [
      'an option of argparse',
      'p = argparse.ArgumentParser()\np.add_argument("-b", "--batch-size", type=int, default=12)\na = p.parse_args()',
      'a.batch_size',
      '12 is the default of --batch-size (line 3), which the command line may override.',
    ],
    [
      'an option that a function parses',
      'def get():\n    p = ArgumentParser()\n    p.add_argument("--b", default=12)\n    return p.parse_args()\na = get()',
      'a.b',
      '12 is the default of --b (line 4), which the command line may override.',
    ],
    [
      'a class that HfArgumentParser parses',
      'from transformers import HfArgumentParser\nclass A:\n    b: int = 12\na, = HfArgumentParser((A,)).parse_args_into_dataclasses()',
      'a.b',
      'b is 12, the default of A.b (line 4), which the command line may override.',
    ],
    [
      'a class that typed-argument-parser parses',
      'from tap import Tap\nclass A(Tap):\n    b: int = 12\na = A().parse_args()',
      'a.b',
      'b is 12, the default of A.b (line 4), which the command line may override.',
    ],
    [
      'a class that simple_parsing parses',
      'import simple_parsing\nclass A:\n    b: int = 12\na = simple_parsing.parse(A)',
      'a.b',
      'b is 12, the default of A.b (line 4), which the command line may override.',
    ],
    [
      'a class that pyrallis parses, by name',
      'import pyrallis\nclass A:\n    b: int = 12\na = pyrallis.parse(config_class=A)',
      'a.b',
      'b is 12, the default of A.b (line 4), which the command line may override.',
    ],
    [
      'an environment variable with a default',
      'b = int(os.environ.get("BATCH", "12"))',
      'b',
      '12 is used unless the environment variable BATCH is set (line 2).',
    ],
    ['the default of a parameter', 'def make(b=12):\n    return b\n', 'make()', undefined],
  ])('%s, and the reader is told that it is a default', async (_, above, written, sentence) => {
    const { spec, assumptions } = await trained(finetuning(above, `${batch}=${written}`))
    expect(spec.microBatch).toBe(12)
    if (sentence !== undefined) expect(assumptions).toContain(sentence)
  })

  it('an option of click', async () => {
    const text = `import click
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
@click.command()
@click.option("--batch-size", default=12)
def main(batch_size):
    model = AutoModelForCausalLM.from_pretrained("gpt2")
    args = TrainingArguments("out", per_device_train_batch_size=batch_size)
    Trainer(model, args).train()
main()
`
    expect((await trained(text)).spec.microBatch).toBe(12)
  })
})

describe('a condition', () => {
  // As Python gives it: python3 -c 'print(bool(…))'
  it.each([
    ['not True or True', true],
    ['not False and False', false],
    ['False and not True or True', true],
    ['True or not True and False', true],
    ['not (True or False)', false],
    ['not not True or False', true],
    ['not 1 == 2 and True', true],
    ['True and not False or False', true],
    ['not False or False and False', true],
  ])('%s is %s', async (condition, truth) => {
    const above = `b = 3\nif ${condition}:\n    b = 12`
    expect((await trained(finetuning(above, `${batch}=b`))).spec.microBatch).toBe(truth ? 12 : 3)
  })
})

describe('a class that is made of all options', () => {
  const made = (declared: string, field = 'b: int = 12') =>
    `import argparse\nclass C:\n    ${field}\nparser = argparse.ArgumentParser()\n${declared}\nc = C(**vars(parser.parse_args()))`
  const each = 'for f in fields(C):\n    parser.add_argument("--" + f.name, default=f.default)'

  it('has its own defaults where the options are declared for each field', async () => {
    const { spec, assumptions } = await trained(finetuning(made(each), `${batch}=c.b`))
    expect(spec.microBatch).toBe(12)
    expect(assumptions).toContain('b is 12, the default of C.b (line 4), which the command line may override.')
  })

  it('has those of the options that are declared by name', async () => {
    const declared = 'parser.add_argument("--b", type=int, default=6)'
    expect((await trained(finetuning(made(declared), `${batch}=c.b`))).spec.microBatch).toBe(6)
    const open = 'parser.add_argument("--b", type=int, required=True)'
    expect((await problems(finetuning(made(open), `${batch}=c.b`)))[0]).toMatchObject({ code: 'not-in-file' })
  })

  it('asks for a field without a default', async () => {
    expect((await problems(finetuning(made(each, 'b: int'), `${batch}=c.b`)))[0]).toMatchObject({ code: 'not-in-file' })
  })
})

describe('what a script imports from its repository', () => {
  const importing = (statement: string, written: string) => finetuning(statement, `${batch}=${written}`)

  it.each([
    ['from config import BATCH', 'BATCH', 'scripts/config.py'],
    ['from .config import BATCH', 'BATCH', 'scripts/config.py'],
    ['from ..config import BATCH as B', 'B', 'config.py'],
    ['import config', 'config.BATCH', 'config.py'],
    ['from settings import config', 'config.BATCH', 'settings/config.py'],
    ['from . import config', 'config.BATCH', 'scripts/config.py'],
    ['from .. import config as c', 'c.BATCH', 'config.py'],
    ['from . import BATCH', 'BATCH', 'scripts/__init__.py'],
    ['from settings import *', 'BATCH', 'scripts/settings/__init__.py'],
    ['from recipes.small import BATCH', 'BATCH', 'src/recipes/small.py'],
  ])('by %s is read where it stands', async (statement, written, path) => {
    const reading = await readBeside(
      importing(statement, written),
      { [path]: 'BATCH = 12\n' },
      { path: 'scripts/train.py' },
    )
    expect(reading).toMatchObject({ kind: 'training-config', spec: { microBatch: 12 }, otherFiles: [{ path }] })
    // The number is not in the file that is being read.
    expect(reading).not.toHaveProperty('batchSizeAt')
  })

  it('is followed from file to file', async () => {
    const files = { 'a.py': 'from b import BATCH\n', 'b.py': 'import c\nBATCH = c.N\n', 'c.py': 'N = 12\n' }
    expect(await readBeside(importing('from a import BATCH', 'BATCH'), files)).toMatchObject({
      spec: { microBatch: 12 },
    })
  })

  it('is followed through files that take everything from others, and no further than a few', async () => {
    const files: Record<string, string> = {
      'settings/__init__.py': 'from .early import *\nfrom .common import *\n',
      'settings/early.py': 'BATCH = 3\n',
      'settings/common.py': 'BATCH = 12\n',
      'a.py': 'from b import *\n',
      'b.py': 'from a import *\n',
    }
    for (const statement of ['from settings import BATCH', 'from settings import *'])
      expect(await readBeside(importing(statement, 'BATCH'), files)).toMatchObject({ spec: { microBatch: 12 } })
    expect(await readBeside(importing('from a import *', 'BATCH'), files)).toMatchObject({ kind: 'unreadable' })
  })

  it('is that of a file that is not run itself', async () => {
    const files = { 'a.py': 'BATCH = 3 if __name__ == "__main__" else 12\n' }
    expect(await readBeside(importing('from a import BATCH', 'BATCH'), files)).toMatchObject({
      spec: { microBatch: 12 },
    })
  })

  it('is asked for by name where it is not found', async () => {
    const reading = await readBeside(importing('from config import BATCH', 'BATCH'), {})
    expect(reading).toMatchObject({
      kind: 'unreadable',
      problems: [{ code: 'not-in-file', field: batch }],
    })
  })

  it('does not go round in circles', async () => {
    const files = { 'a.py': 'from b import BATCH\n', 'b.py': 'from a import BATCH\n' }
    expect((await readBeside(importing('from a import BATCH', 'BATCH'), files)).kind).toBe('unreadable')
  })
})

describe('what depends on run time is asked for by name, with its line', () => {
  it.each([
    ['sys.argv', 'b = int(sys.argv[1])', 'b', '"sys.argv[1]" (line 2) depends on run time'],
    [
      'an option without a default',
      'p.add_argument("--b", type=int)\na = p.parse_args()',
      'a.b',
      '--b (line 2) is given on the command line and has no default',
    ],
    [
      'a required option, also with a default of None',
      'p.add_argument("--b", type=int, default=None, required=True)\na = p.parse_args()',
      'a.b',
      '--b (line 2) is given on the command line and has no default',
    ],
    ['a loop', 'for b in [4, 8]:\n    pass', 'b', 'the value takes several values in a loop (line 2)'],
    [
      'a condition',
      'b = 8\nif os.cpu_count() > 8:\n    b = 16',
      'b',
      'it is set in several places (line 2 and line 4), and which one counts depends on run time',
    ],
    [
      'an update under a condition',
      'o = {"b": 8}\nif os.cpu_count() > 8:\n    o.update({"b": 16})',
      'o["b"]',
      'whether o is updated depends on "os.cpu_count() > 8" (line 3)',
    ],
    [
      'a method that is not called',
      'class C:\n    def size(self):\n        return 12\nc = C()',
      'c.size',
      'size is a function, which is not called (line 3)',
    ],
    [
      'calls that differ',
      'def f(b):\n    return TrainingArguments("o", per_device_train_batch_size=b)\nf(1)',
      'len(x)',
      'len(x) is computed',
    ],
  ])('%s', async (_, above, written, why) => {
    const [problem] = await problems(finetuning(above, `${batch}=${written}`))
    expect(problem).toMatchObject({ code: 'not-in-file', field: batch })
    expect(problem?.message).toContain(why)
  })

  it('and none of its text is run or followed without end', async () => {
    const deep = `b = ${'('.repeat(5_000)}1${')'.repeat(5_000)}`
    const wide = `b = ${Array(5_000).fill('1').join(' + ')}`
    const circle = 'b = a\na = b\nb = a'
    for (const above of [deep, wide, circle])
      expect((await read(finetuning(above, `${batch}=b`))).kind).toBe('unreadable')
  })
})

describe('branches that load the same model', () => {
  const script = (other: string) => `import torch
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
name = "gpt2"
if somewhere():
    model = AutoModelForCausalLM.from_pretrained(name, torch_dtype=torch.bfloat16, device_map="auto")
else:
    model = AutoModelForCausalLM.from_pretrained(name, ${other})
Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=4)).train()
`

  it('are one where they differ in what takes no memory', async () => {
    const same = 'torch_dtype=torch.bfloat16, local_files_only=True, trust_remote_code=True'
    expect((await trained(script(same))).spec).toMatchObject({ microBatch: 4, precision: 'bf16' })
  })

  it('are two where they differ in their weights', async () => {
    const [problem] = await problems(script('torch_dtype=torch.float32'))
    expect(problem?.message).toContain('it is set in several places')
  })
})

test('a dictionary with a key that is not known may hold any, when it is unpacked', async () => {
  const script = `import torch
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments
key = "dtype" if newer() else "torch_dtype"
model = AutoModelForCausalLM.from_pretrained("gpt2", **{key: torch.bfloat16})
Trainer(model=model, args=TrainingArguments("out", per_device_train_batch_size=4)).train()
`
  const [problem] = await problems(script)
  expect(problem?.message).toContain('may set it')
})
