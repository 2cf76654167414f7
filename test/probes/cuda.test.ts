/** The worker's CUDA path over a stand-in for `torch.cuda`: real steps of real PyTorch, the card's answers made up. */
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { GIB, MIB } from '../../engine/base/units.ts'
import { defaultGpu } from '../../engine/gpus/catalogue.ts'
import { describeMachine } from '../../engine/probes/device.ts'
import { openProbe } from '../../engine/probes/open-probe.ts'
import { askHalves } from '../../engine/probes/validation.ts'
import { PythonWorker } from '../../engine/probes/worker.ts'
import { CARD_BYTES, CONTEXT_BYTES, CudaStandIn } from './cuda-stand-in.ts'
import { hasTorch, python } from './python.ts'
import { tinyContext as context, tinyConfig, tinySpec } from './tiny-spec.ts'

describe.skipIf(!hasTorch)('over a stand-in for CUDA, with Python and PyTorch', () => {
  let standIn: CudaStandIn
  beforeAll(async () => {
    standIn = await CudaStandIn.install()
  })
  afterAll(() => standIn[Symbol.asyncDispose]())
  afterEach(() => vi.unstubAllEnvs())

  test('a trial has the peak in blocks, the peak as asked for, and the attention kernel that ran', async () => {
    standIn.insert()
    await using probe = await openProbe('torch', { ...context, spec: { ...tinySpec, dropout: false } })
    const { outcome } = await probe.trial(2, { steps: 4 })
    if (outcome.kind !== 'fits') throw new Error(JSON.stringify(outcome))
    const { peakBytes = 0, requestedBytes = 0, reservedBytes = 0, attention } = outcome
    expect(requestedBytes).toBeGreaterThan(0)
    expect(requestedBytes).toBeLessThan(peakBytes)
    expect(peakBytes).toBeLessThanOrEqual(reservedBytes)
    expect(attention).toEqual(['flash'])
  })

  describe('the first optimizer step', () => {
    test('is taken in amp-fp16, although a gradient is infinite at the usual scale of the loss', async () => {
      const found = asked(`
device = open_device({})
request = json.loads(${pythonJson({ spec: { ...tinySpec, precision: 'amp-fp16' }, config: tinyConfig })})
loop = trial.RealLoop(request, device)
# The gradient of the scaled loss overflows beyond a scale of 1,024.
loop._model.classifier.weight.register_hook(lambda gradient: gradient * (float("inf") if loop._scaler.get_scale() > 1024 else 1))
steps = loop.steps(2)
answer = [len(loop._optimizer.state), len(loop._trained), len(steps)]`)
      const [stateful, trained, steps] = found as [number, number, number]
      expect(stateful).toBeGreaterThan(trained / 2)
      expect(steps).toBe(2)
    })

    test('that is skipped is not the first, and one that is skipped later is an error', () => {
      const found = asked(`
device = open_device({})
request = json.loads(${pythonJson({ spec: { ...tinySpec, precision: 'amp-fp16' }, config: tinyConfig })})
loop = trial.RealLoop(request, device)
step = {"number": 0}
def spoil(gradient):
    step["number"] += 1
    return gradient * (float("inf") if step["number"] in spoiled else 1)
loop._model.classifier.weight.register_hook(spoil)
spoiled = {1, 2}
loop.steps(2)
answer = [step["number"]]
spoiled = {step["number"] + 2}
try:
    loop.steps(2)
except RuntimeError as error:
    answer.append(str(error))`)
      expect(found).toEqual([4, expect.stringMatching(/skipped its optimizer/)])
    })
  })

  test('steps are warmed up for as long as the clocks need, and no batch is made while a step is timed', () => {
    // A clock that moves by 5 s for a batch, and by 5 ms whenever the loop waits for the device: twice in a step.
    const found = asked(`
device = open_device({})
loop = trial.RealLoop(json.loads(${pythonJson({ spec: tinySpec, config: tinyConfig })}), device)
clock, made = {"seconds": 0.0, "batches": 0}, loop._step.batch
def batch(spec):
    clock["seconds"] += 5
    clock["batches"] += 1
    return made(spec)
def synchronize():
    clock["seconds"] += 0.005
loop._step.batch, device.synchronize, trial.time.perf_counter = batch, synchronize, lambda: clock["seconds"]
device.warm_up_millis = 200
answer = {"millis": [round(step["millis"]) for step in loop.steps(5)], "runs": clock["batches"]}`)
    expect(found).toEqual({ millis: [10, 10, 10, 10, 10], runs: 1 + 20 + 3 })
  })

  test('only the first step is watched for its attention kernel, since watching takes Python’s time', () => {
    const found = asked(`
loop = trial.RealLoop(json.loads(${pythonJson({ spec: { ...tinySpec, dropout: false }, config: tinyConfig })}), open_device({}))
watched = []
def forward(*_):
    modes = torch.overrides._get_current_function_mode_stack()
    watched.append(any(isinstance(mode, trial.AttentionBackends) for mode in modes))
loop._model.register_forward_hook(forward)
loop._device.warm_up_millis = 0
loop.steps(4)
answer = {"watched": watched, "names": sorted(loop.attention.names)}`)
    expect(found).toEqual({ watched: [true, false, false, false], names: ['flash'] })
  })

  test('watching a kernel holds no copies of its inputs beside it, and what it cannot tell fails no step', () => {
    const found = asked(`
def peak(mode):
    inputs = [torch.zeros(2, 4, 256, 64) for _ in range(3)]
    sitecustomize.memory.reset_peaks()
    with torch.autocast("cuda", torch.bfloat16), mode:
        torch.nn.functional.scaled_dot_product_attention(*inputs)
    return sitecustomize.memory.peaks["allocated"] - sum(each.nbytes for each in inputs)
import contextlib
unwatched, watched = peak(contextlib.nullcontext()), peak(trial.AttentionBackends())
def refuse(*_, **__):
    raise RuntimeError("no kernel for nested tensors")
torch._fused_sdp_choice = refuse
answer = {"extra": watched - unwatched, "refused": peak(trial.AttentionBackends()) > 0}`)
    expect(found).toEqual({ extra: 0, refused: true })
  })

  describe('usable memory', () => {
    test('lacks the context, and what other processes hold', async () => {
      standIn.insert({ otherBytes: 5 * GIB })
      const machine = await describeMachine(python)
      if (machine.kind !== 'python' || machine.device.kind !== 'cuda') throw new Error(JSON.stringify(machine))
      const { contextBytes, otherBytes, usableBytes } = machine.device
      expect([contextBytes, otherBytes]).toEqual([CONTEXT_BYTES, 5 * GIB])
      expect(usableBytes).toBe(CARD_BYTES - 5 * GIB - CONTEXT_BYTES)
    })

    test('shrinks with the kernels that a step loads, and what PyTorch may reserve with it', async () => {
      standIn.insert({ lateContextBytes: 100 * MIB })
      await using probe = await openProbe('torch', context)
      const before = probe.device.usableBytes
      await probe.trial(2)
      expect(before - probe.device.usableBytes).toBe(100 * MIB)
      expect(
        asked(
          `
device = open_device({})
trial.trial(json.loads(${pythonJson({ spec: tinySpec, config: tinyConfig, steps: 2 })}))
before = sitecustomize.memory.allowed_bytes
device.restrict()
answer = before - sitecustomize.memory.allowed_bytes`,
          { lateContextBytes: 100 * MIB },
        ),
      ).toBe(100 * MIB)
    })

    test('of a smaller card that is played is that card’s, whatever else is on this one', async () => {
      standIn.insert({ otherBytes: 5 * GIB, lateContextBytes: 100 * MIB })
      await using probe = await openProbe('torch', { ...context, limitMemoryBytes: 10 * GIB })
      const played = { totalBytes: 10 * GIB, usableBytes: 10 * GIB - defaultGpu.contextBytes }
      expect(probe.device).toMatchObject(played)
      await probe.trial(2)
      expect(probe.device).toMatchObject(played)
    })

    test('is never more than the real card has free', async () => {
      standIn.insert({ otherBytes: 20 * GIB })
      await using probe = await openProbe('torch', { ...context, limitMemoryBytes: 10 * GIB })
      expect(probe.device.usableBytes).toBe(4 * GIB - CONTEXT_BYTES)
    })

    test('bounds PyTorch also where no card is played, since WSL would spill into the host', () => {
      expect(asked('open_device({})\nanswer = sitecustomize.memory.allowed_bytes')).toBe(CARD_BYTES - CONTEXT_BYTES)
    })
  })

  test('after out of memory the next trial runs in a new process', async () => {
    standIn.insert()
    await using probe = await openProbe('torch', { ...context, limitMemoryBytes: 340 * MIB })
    expect((await probe.trial(5_000)).outcome).toEqual({ kind: 'out-of-memory' })
    expect((await probe.trial(2)).outcome.kind).toBe('fits')
  })

  test('a GPU that cannot be started is told, by the engine and by auto', async () => {
    standIn.insert({ startError: 'CUDA error: no kernel image is available for execution on the device' })
    expect(await describeMachine(python)).toMatchObject({
      kind: 'python',
      device: { kind: 'broken', why: expect.stringMatching(/no kernel image/) },
    })
    await expect(openProbe('torch', context)).rejects.toThrow(/cannot start this machine's GPU: .*no kernel image/)
    const logged: string[] = []
    await using probe = await openProbe('auto', { ...context, log: text => logged.push(text) })
    expect(probe.engine).toBe('trace')
    expect(logged.join()).toMatch(/cannot start this machine's GPU.*no kernel image/)
  })

  test('a card of AMD’s is a device', async () => {
    standIn.insert({ hip: '7.0', name: 'AMD Instinct MI300X' })
    await using probe = await openProbe('torch', context)
    expect(probe.device.software).toMatch(/ROCm 7\.0/)
  })

  test('two processes on the CPU of a machine with CUDA exchange over Gloo', async () => {
    standIn.insert({ count: 2 })
    const spec = { ...tinySpec, gpus: 2, sharding: 'ddp' as const }
    await using probe = await openProbe('torch', {
      ...context,
      spec,
      deviceKind: 'cpu',
      limitMemoryBytes: 600 * MIB,
    })
    expect((await probe.trial(2)).outcome).toMatchObject({ kind: 'fits' })
  })

  test('validate-backward computes in TF32 where the config does', async () => {
    standIn.insert()
    await using worker = new PythonWorker(python)
    expect(await askHalves(worker, 'torch', { ...tinySpec, step: 'forward-backward' }, tinyConfig)).toMatchObject({
      kind: 'done',
    })
    expect(
      asked(`
measured_halves(json.loads(${pythonJson({ spec: { ...tinySpec, precision: 'tf32' }, config: tinyConfig })}))
answer = torch.backends.cuda.matmul.allow_tf32`),
    ).toBe(true)
  })

  test('mllama’s tiles and masks are told as its processor tells them', () => {
    const found = asked(`
import types
spec = json.loads(${pythonJson({ ...tinySpec, task: 'causal-lm', images: { tiles: 4, checkpointed: 'decoder' } })})
text = types.SimpleNamespace(vocab_size=128256)
config = types.SimpleNamespace(vision_config=types.SimpleNamespace(image_size=28), model_type="mllama", get_text_config=lambda: text)
model = types.SimpleNamespace(config=config, dtype=torch.float32)
batch = fill(make_batch(spec, model, "cpu"), spec, model)
answer = {name: batch[name].unique().tolist() for name in ("aspect_ratio_ids", "aspect_ratio_mask", "cross_attention_mask")}
answer["tokens"] = batch["input_ids"].unique().numel()`)
    expect(found).toMatchObject({ aspect_ratio_ids: [1], aspect_ratio_mask: [1], cross_attention_mask: [1] })
    expect((found as { tokens: number }).tokens).toBeGreaterThan(8)
  })

  test('as many words of a sample are its image’s as the tower makes of it', () => {
    const images = { tiles: 2, checkpointed: 'decoder', height: 56, width: 112 }
    const found = asked(`
import types
spec = json.loads(${pythonJson({ ...tinySpec, task: 'causal-lm', sequenceLength: 64, images })})
vision = types.SimpleNamespace(patch_size=14, temporal_patch_size=2, in_channels=3, spatial_merge_size=2)
text = types.SimpleNamespace(vocab_size=200)
config = types.SimpleNamespace(vision_config=vision, model_type="qwen2_vl", image_token_id=150, get_text_config=lambda: text)
model = types.SimpleNamespace(config=config, dtype=torch.float32)
batch = fill(make_batch(spec, model, "cpu"), spec, model)
answer = {"words": (batch["input_ids"] == 150).sum(-1).unique().tolist(), "grid": batch["image_grid_thw"][0].tolist()}`)
    expect(found).toEqual({ words: [16], grid: [1, 4, 8] })
  })

  test('every text of a sample has words and a padded token of its own, and a loss that is a number', () => {
    const sentences = { columns: 3, loss: 'multiple-negatives-ranking' }
    const texts = { ...tinySpec, task: 'sentence-similarity', sequenceLength: 16, paddedBatches: true, sentences }
    const found = asked(`
import contextlib, math, transformers
from memorymark_worker.sentences import sentence_loss
spec = json.loads(${pythonJson(texts)})
sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64}
model = transformers.BertModel(transformers.BertConfig(vocab_size=200, **sizes))
batch = fill(make_batch(spec, model, "cpu"), spec, model)
loss = sentence_loss(model, spec, batch, contextlib.nullcontext)
loss.backward()
answer = {"padded": [batch[f"{text}_attention_mask"][0].tolist().index(0) for text in range(3)]}
answer["words"] = min(batch[f"{text}_input_ids"].unique().numel() for text in range(3))
answer["isNumber"] = math.isfinite(loss.item())`)
    expect(found).toMatchObject({ padded: [15, 15, 15], isNumber: true })
    expect((found as { words: number }).words).toBeGreaterThan(8)
  })

  /** What the lines of Python leave in `answer`, on the card. */
  function asked(lines: string, card = {}): unknown {
    const script = `
import json, sys
sys.path.insert(0, ${JSON.stringify(path.join(import.meta.dirname, '../../engine/probes/worker'))})
import sitecustomize, torch
from memorymark_worker import trial
from memorymark_worker.batches import fill, make_batch
from memorymark_worker.devices import open_device
from memorymark_worker.validation import measured_halves
${lines}
print(json.dumps(answer))`
    const env = { ...process.env, ...standIn.env(card) }
    return JSON.parse(
      execFileSync(python, ['-c', script], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }),
    )
  }
})

/** A literal of Python's that json.loads reads. */
function pythonJson(value: unknown): string {
  return JSON.stringify(JSON.stringify(value))
}
