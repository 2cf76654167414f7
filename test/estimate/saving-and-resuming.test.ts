/** What the libraries do when a run saves or resumes, read from the libraries themselves: a release that does otherwise is noticed. */
import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { hasTorch, python } from '../probes/python.ts'

function run(program: string): string {
  return execFileSync(python, ['-c', program], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
}

const hasAccelerate =
  hasTorch && run('import importlib.util as u; print(u.find_spec("accelerate") is not None)').trim() === 'True'

describe.skipIf(!hasTorch)('with Python and PyTorch, resuming', () => {
  test.each(['AdamW', 'Adam', 'SGD', 'Adagrad'])(
    'takes over the state of %s as it was loaded, without a copy',
    name => {
      const program = `
import copy, torch
def step():
    model = torch.nn.Linear(8, 8).bfloat16()
    extra = {'momentum': 0.9} if '${name}' == 'SGD' else {}
    optimizer = torch.optim.${name}(model.parameters(), lr=0.1, **extra)
    model(torch.randn(2, 8).bfloat16()).sum().backward()
    optimizer.step()
    return optimizer
loaded = copy.deepcopy(step().state_dict())
resumed = step()
resumed.load_state_dict(loaded)
states = zip(loaded['state'].values(), resumed.state.values())
pairs = [(old[key], new[key]) for old, new in states for key in old if torch.is_tensor(old[key]) and old[key].numel() > 1]
print(len(pairs), sum(old.data_ptr() == new.data_ptr() for old, new in pairs))`
      const [tensors, shared] = run(program).trim().split(' ').map(Number)
      expect(tensors).toBeGreaterThan(0)
      expect(shared).toBe(tensors)
    },
  )

  test('of the Trainer loads the state on the CPU for one GPU, and on each of several', () => {
    const source = run(
      'import inspect; from transformers import Trainer; print(inspect.getsource(Trainer._load_optimizer_and_scheduler))',
    )
    expect(source.replace(/\s+/g, ' ')).toContain(
      'self.args.device if self.args.world_size > 1 and self.args.device.type != "cpu" else "cpu"',
    )
  })
})

describe.skipIf(!hasTorch)('with Python and PyTorch, distributed checkpoints', () => {
  test('are loaded into a state that a step over gradients of zeros has made', () => {
    const program = `
import torch
from torch.distributed.checkpoint.state_dict import get_optimizer_state_dict
model = torch.nn.Linear(8, 8)
optimizer = torch.optim.AdamW(model.parameters(), fused=True)
step, held = optimizer.step, []
def watched(*args, **kwargs):
    held.append(sum(parameter.grad.nbytes for parameter in model.parameters()))
    return step(*args, **kwargs)
optimizer.step = watched
get_optimizer_state_dict(model, optimizer)
left = [parameter.grad for parameter in model.parameters()]
print(held[0], sum(parameter.nbytes for parameter in model.parameters()), left == [None, None])`
    expect(run(program).trim()).toBe('288 288 True')
  })
})

describe.skipIf(!hasAccelerate)('with accelerate, saving', () => {
  test('under FSDP gathers whole weights on the CPU', () => {
    const source = run(
      'import inspect; from accelerate import Accelerator; print(inspect.getsource(Accelerator.get_state_dict))',
    )
    expect(source).toContain('FullStateDictConfig(offload_to_cpu=True, rank0_only=True)')
    expect(source).toContain('StateDictOptions(full_state_dict=True, broadcast_from_rank0=True, cpu_offload=True)')
  })

  test('a checkpoint under FSDP does so too, also where a config says otherwise', () => {
    const source = run(
      'import inspect; from accelerate.utils import fsdp_utils as f; print(inspect.getsource(f.save_fsdp_model))',
    )
    expect(source).toContain('is_multi_process = accelerator.num_processes > 1')
    expect(source).toContain('fsdp_plugin.state_dict_config.offload_to_cpu = is_multi_process')
  })
})
