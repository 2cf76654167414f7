/** A run's memory as PyTorch recorded it, beside the estimate: chart, table, and what the estimate does not explain. */
import { formatGib } from '../base/units.ts'
import { highestPeak, lowestPeak, type MemoryBand } from '../metrics/range.ts'
import type { ComparedGroup, Comparison, Unexplained } from '../snapshot/against-estimate.ts'
import { type LivePart, type LiveSite, liveParts } from '../snapshot/replay.ts'
import type { SnapshotSummary } from '../snapshot/summary.ts'
import { formatCount, formatPart } from './figures.ts'
import { plainText } from './plain.ts'
import { CHART_COLUMNS, highestOfEach, stackedRows } from './stacked-chart.ts'
import { tableWithin } from './text-table.ts'

export interface ComparedSnapshot {
  readonly snapshot: SnapshotSummary
  readonly comparison: Comparison
  readonly estimate: { readonly peakBytes: number; readonly errorBand: MemoryBand }
}

const letters: Readonly<Record<LivePart, string>> = {
  weights: 'W',
  'optimizer-state': 'O',
  workspace: 'C',
  'before-history': 'B',
  inputs: 'I',
  forward: 'f',
  backward: 'b',
  'optimizer-step': 's',
  elsewhere: 'e',
  'awaiting-release': 'r',
}

const partNames: Readonly<Record<LivePart, string>> = {
  weights: 'weights',
  'optimizer-state': 'optimizer state',
  workspace: 'library workspace',
  'before-history': 'before the history',
  inputs: 'inputs',
  forward: 'forward pass',
  backward: 'backward pass',
  'optimizer-step': "optimizer's step",
  elsewhere: 'other code',
  'awaiting-release': 'awaiting release',
}

const groupNames: Readonly<Record<ComparedGroup, string>> = {
  weights: partNames.weights,
  optimizerState: partNames['optimizer-state'],
  workspace: partNames.workspace,
  inputs: partNames.inputs,
  step: 'rest of the step',
  elsewhere: partNames.elsewhere,
  'before-history': partNames['before-history'],
  'awaiting-release': partNames['awaiting-release'],
}

/** Ends without a newline. */
export function snapshotPage(compared: ComparedSnapshot, columns: number): string {
  const { snapshot } = compared
  const shown = highestOfEach(snapshot.points, CHART_COLUMNS)
  const { rows, below } = stackedRows(shown, liveParts, letters)
  const present = liveParts.filter(part => snapshot.peak.breakdown[part] > 0).toReversed()
  const legend = present.map(
    part => `  ${letters[part]}  ${partNames[part].padEnd(18)}  ${formatPart(snapshot.peak.breakdown[part])}`,
  )
  return [
    ...rows,
    `${below} |from the first event to the last`,
    '',
    'At the peak of the snapshot:',
    ...legend,
    '',
    ...comparisonTable(compared, columns),
    '',
    'The rest of the step: gradients, activations, logits and temporaries, which stacks do not tell apart.',
    peakSentence(compared),
    ...unexplainedLines(compared),
    ...snapshotRemarks(snapshot),
  ].join('\n')
}

function comparisonTable({ snapshot, comparison, estimate }: ComparedSnapshot, columns: number): readonly string[] {
  const cell = (bytes: number) => (bytes === 0 ? '–' : formatPart(bytes))
  return tableWithin(columns, [
    ['At the peak of each', 'snapshot', 'estimate'],
    ...comparison.rows.map(row => [groupNames[row.group], cell(row.snapshotBytes), cell(row.estimatedBytes)]),
    ['all', formatGib(snapshot.peak.bytes), formatGib(estimate.peakBytes)],
  ])
}

function peakSentence({ snapshot, estimate }: ComparedSnapshot): string {
  const [low, high] = [lowestPeak(estimate), highestPeak(estimate)]
  const range = low === high ? formatGib(low) : `${formatGib(low)} to ${formatGib(high)}`
  const { bytes, event } = snapshot.peak
  const peak = `The peak of the snapshot, ${formatGib(bytes)} at event ${formatCount(event + 1)} of ${formatCount(Math.max(1, snapshot.events))}, is`
  if (bytes > high) return `${peak} ${formatGib(bytes - high)} above the range of the estimate, ${range}.`
  if (bytes < low) return `${peak} ${formatGib(low - bytes)} below the range of the estimate, ${range}.`
  return `${peak} within the range of the estimate, ${range}.`
}

function unexplainedLines({ comparison }: ComparedSnapshot): readonly string[] {
  if (comparison.unexplained.length === 0)
    return ['The estimate explains every part of it, to a hundredth of the peak.']
  return ['', 'What the estimate does not explain:', ...comparison.unexplained.flatMap(linesOf)]
}

function linesOf({ group, bytes, sites }: Unexplained): readonly string[] {
  const among = sites.length === 0 ? '' : '; most of this part was allocated at:'
  return [`  ${formatPart(bytes)} of ${groupNames[group]}${among}`, ...sites.map(site => `    ${siteLine(site)}`)]
}

/** `0.52 GiB in 12 blocks  modeling_llama.py:210 forward, from train.py:41 main`. */
function siteLine({ bytes, blocks, at, from }: LiveSite): string {
  const where = at === undefined ? 'no stack' : plainText(at, 120)
  const called = from === undefined ? '' : `, from ${plainText(from, 120)}`
  return `${formatPart(bytes)} in ${formatCount(blocks)} block${blocks === 1 ? '' : 's'}: ${where}${called}`
}

/** What one has to know of the file to read its figures right, a sentence each. */
export function snapshotRemarks(snapshot: SnapshotSummary): readonly string[] {
  const { outOfMemory, isCutOff, bytesBefore, missingReleases, devices, device, events } = snapshot
  return [
    snapshot.isEstimate && 'MemoryMark wrote this snapshot: it is an estimate, and nothing in it was measured.',
    events === 0 &&
      'The snapshot has no history: it shows what was allocated when it was taken, which is not the peak. To record one, call torch.cuda.memory._record_memory_history(max_entries=100000) before the model is loaded.',
    outOfMemory !== undefined &&
      `The run ran out of memory at event ${formatCount(outOfMemory.event + 1)}: ${formatGib(outOfMemory.askedBytes)} more were asked for, which the peak does not have.`,
    isCutOff &&
      `The history is cut off: PyTorch kept the last ${formatCount(events)} events (max_entries), and a higher peak may lie before them.`,
    events > 0 &&
      bytesBefore > 0 &&
      `${formatGib(bytesBefore)} were allocated before the first event, and ${isCutOff ? 'those whose stack is known are' : 'without their stacks cannot be'} told apart.`,
    missingReleases > 0 &&
      `${formatCount(missingReleases)} allocations took an address whose release is not in the history (skip_actions): the real peak may be lower.`,
    !snapshot.hasStacks && 'No stacks were recorded (context=None), so that parts cannot be told apart.',
    snapshot.hasStacks &&
      snapshot.stacklessBytes > 0 &&
      `${formatPart(snapshot.stacklessBytes)} without a stack count as the backward pass, whose threads run no Python; stacks="all" shows their operators.`,
    devices > 1 && `Of ${formatCount(devices)} devices with memory, cuda:${device} has the highest peak.`,
  ].filter(remark => typeof remark === 'string')
}
