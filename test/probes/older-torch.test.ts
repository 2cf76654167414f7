/** What an older PyTorch lacks, and what the worker does without it. Each takes it away from the PyTorch that is here. */
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test, vi } from 'vitest'
import * as z from 'zod'
import { describeMachine } from '../../engine/probes/device.ts'
import { hasTorch, python } from './python.ts'
import { tinySpec } from './tiny-spec.ts'

const worker = fileURLToPath(new URL('../../engine/probes/worker', import.meta.url))

describe.skipIf(!hasTorch)('with Python and PyTorch', () => {
  afterEach(() => vi.unstubAllEnvs())

  test('before 2.4 the worker says that it is too old', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'memorymark-torch-'))
    await mkdir(path.join(folder, 'torch'))
    await writeFile(path.join(folder, 'torch/__init__.py'), '__version__ = "2.3.1+cu121"\n')
    vi.stubEnv('PYTHONPATH', folder)
    expect(await describeMachine(python)).toEqual({
      kind: 'no-python',
      why: expect.stringMatching(/PyTorch 2\.3\.1\+cu121 is too old: 2\.4/),
    })
    await rm(folder, { recursive: true })
  })

  test('2.4 steps for real, and is not traced', () => {
    const answer = asked(`
trace.TORCH_VERSION = (2, 4)
try:
    answer = trace.trace({})
except RuntimeError as error:
    answer = str(error)`)
    expect(answer).toMatch(/cannot be traced: before 2\.5/)
  })

  test('where torch does not tell how many tensors share a storage, they are counted', () => {
    const answer = asked(`
if hasattr(torch._C, "_storage_Use_Count"):
    del torch._C._storage_Use_Count
tensor = torch.empty(8, device="meta")
alone = ledger.storage_use_count(tensor.untyped_storage())
views = [tensor.view(2, 4), tensor[:4], tensor.detach()]
answer = [alone, ledger.storage_use_count(tensor.untyped_storage()) - alone]
views.clear()
answer.append(ledger.storage_use_count(tensor.untyped_storage()) - alone)`)
    expect(answer).toEqual([expect.any(Number), 3, 0])
  })

  test('without a grouped product a trace takes expert by expert, with frozen ones’ gradients', ({ skip }) => {
    const config = {
      model_type: 'qwen3_moe',
      vocab_size: 64,
      hidden_size: 64,
      num_hidden_layers: 2,
      num_attention_heads: 4,
      num_key_value_heads: 4,
      head_dim: 16,
      num_experts: 8,
      num_experts_per_tok: 2,
      moe_intermediate_size: 128,
    }
    const spec = { ...tinySpec, task: 'causal-lm', precision: 'bf16', loop: 'trainer', optimizer: 'sgd' }
    const inner = { names: ['.*self_attn'], inputGradients: false }
    const requests = [spec, { ...spec, trainable: inner }].map(each => ({ spec: each, config }))
    const answer = asked(`
def peaks():
    return [trace.trace(request)["peakBytes"] for request in json.loads(${JSON.stringify(JSON.stringify(requests))})]
answer = None
if importlib.util.find_spec("transformers.integrations.moe"):
    places = [place for place in ((torch, "_grouped_mm"), (torch.nn.functional, "grouped_mm")) if hasattr(*place)]
    grouped = peaks()
    for place in places:
        delattr(*place)
    answer = {"hasGroupedProduct": len(places) > 0, "grouped": grouped, "looped": peaks()}`)
    if (answer === null) skip('transformers 4 asks for the values of the routing')
    const { hasGroupedProduct, grouped, looped } = peaks.parse(answer)
    expect(looped[0] / grouped[0]).toBeCloseTo(1, 2)
    expect(looped[1] > grouped[1]).toBe(hasGroupedProduct)
  })
})

const pair = z.tuple([z.number(), z.number()])
const peaks = z.object({ hasGroupedProduct: z.boolean(), grouped: pair, looped: pair })

/** What the lines of Python leave in `answer`. */
function asked(lines: string): unknown {
  const script = `
import importlib.util, json, sys
sys.path.insert(0, ${JSON.stringify(worker)})
import torch
from memorymark_worker import ledger, trace
${lines}
print(json.dumps(answer))`
  return JSON.parse(execFileSync(python, ['-c', script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }))
}
