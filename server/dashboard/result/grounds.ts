/** What the figures are based on: the analysed spec and the assumptions. */
import { html } from 'hono/html'
import { formatUsd } from '../../../engine/base/units.ts'
import { formatCount, formatRatio, formatRunCost, lengthInWords } from '../../../engine/render/figures.ts'
import { plainText } from '../../../engine/render/plain.ts'
import type { AnalysedConfig } from '../../../engine/report/schema.ts'
import type { TrainingSpec } from '../../../engine/training/spec.ts'
import type { Html } from '../page.ts'

export function groundsCard(config: AnalysedConfig): Html {
  const { spec, dialect, batchSizeAt, assumptions } = config
  return html`<section class="card" aria-labelledby="grounds-title">
<h2 id="grounds-title">What the figures are based on</h2>
<dl class="facts">
${facts(spec).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
${batchSizeAt ? html`<div><dt>Format</dt><dd>${plainText(dialect, 60)}</dd></div>` : ''}
</dl>
${assumptions.length === 0 ? '' : html`<ul>${assumptions.map(assumption => html`<li>${plainText(assumption)}</li>`)}</ul>`}
${rightSizing(config)}
</section>`
}

function facts(spec: TrainingSpec): [name: string, value: string][] {
  return [
    ['Model', plainText(spec.model, 200)],
    ['Task', spec.task],
    ...inputSize(spec),
    ['Step', spec.step === 'training' ? 'training: forward, backward, optimizer' : 'forward and backward only'],
    ['Precision', spec.precision],
    ['Optimizer', spec.optimizer],
    ['Attention', spec.attention],
    ['Gradient checkpointing', spec.gradientCheckpointing ? 'on' : 'off'],
    ...(spec.lora
      ? [['LoRA', `rank ${spec.lora.rank} on ${plainText(spec.lora.targets.join(', '), 200)}`] as [string, string]]
      : []),
    ...(spec.quantization ? [['Base weights', spec.quantization] as [string, string]] : []),
    ['GPUs', spec.gpus === 1 ? '1' : `${formatCount(spec.gpus)}, ${spec.sharding ?? 'ddp'}`],
  ]
}

function inputSize(spec: TrainingSpec): [name: string, value: string][] {
  const { sequenceLength, targetLength, imageSize } = spec
  if (imageSize !== undefined) return [['Image', `${formatCount(imageSize)} × ${formatCount(imageSize)} pixels`]]
  if (sequenceLength === undefined) return []
  const target = targetLength === undefined ? '' : `, target ${formatCount(targetLength)}`
  return [['Sequence', `${lengthInWords(spec, sequenceLength)}${target}`]]
}

function rightSizing({ rightSizing, current, recommended }: AnalysedConfig): Html | '' {
  if (rightSizing === undefined) return ''
  const { gpu, costPerRunUsd } = rightSizing
  const share = formatRatio((recommended ?? current).costPerRunUsd / costPerRunUsd)
  return html`<p>A cheaper GPU is enough (modelled): ${plainText(gpu.name, 60)} at ${formatUsd(gpu.pricePerHourUsd)} an hour, ${formatRunCost(rightSizing)} per run; on this GPU a run costs ${share} that.</p>`
}
