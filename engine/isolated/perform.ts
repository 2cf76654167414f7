/** Performs the tasks inside the limited process. What only some tasks need is loaded with the first of them, so that a check starts fast. */
import { getHeapStatistics } from 'node:v8'
import { judging } from '../analyze.ts'
import { optionsOnGpu } from '../asked-gpu.ts'
import { parseJson } from '../base/json.ts'
import { isNamedByConfigs, opensOneOf, startedBy } from '../change/affected-configs.ts'
import { sentencesOn } from '../config/job/request.ts'
import { statementsIn } from '../config/pinned/version-files.ts'
import { readConfigAsync } from '../config/read.ts'
import type { SourceFile } from '../config/reading.ts'
import { askingOnce, type Sources } from '../config/sources.ts'
import { FootprintCache } from '../estimate/footprint-cache.ts'
import { sentencesOn as sentencesOnGpu } from '../gpus/described.ts'
import type { Host } from '../isolation/orders.ts'
import type { HubAnswer } from '../models/hub.ts'
import { readSettings } from '../settings/read.ts'
import { isCounted, settingsFor } from '../settings/settings.ts'
import type { Named } from '../subject.ts'
import type { Answers, Question, Results, Task, TaskOrder } from './tasks.ts'

/** Kept from one order to the next. */
let footprints = new FootprintCache()

export async function performTask({ task, files, asks }: TaskOrder, host: Host): Promise<void> {
  const performOn = await performing(task, asks, host)
  for (const file of files) await host.step(await performOn(file))
}

type PerformOn = (file: SourceFile) => Promise<Results[Task['kind']]>

async function performing(task: Task, asks: TaskOrder['asks'], host: Host): Promise<PerformOn> {
  // What the host answers is, by these types, what was asked for.
  const ask = <Kind extends Question['kind']>(question: Extract<Question, { kind: Kind }>) =>
    host.ask(question) as Promise<Answers[Kind]>
  const readFile = (path: string) => ask<'file'>({ kind: 'file', path })
  const listFolder = (path: string) => ask<'folder'>({ kind: 'folder', path })
  const configJson = async (id: string): Promise<HubAnswer> =>
    (await ask<'hub'>({ kind: 'hub', id })) ?? { kind: 'unreachable', why: 'it is not asked' }
  // Every config asks for what pins versions in the folders above it, and each question waits for the host.
  const sources: Sources = askingOnce({
    ...(asks.file && { readFile }),
    ...(asks.folder && { listFolder }),
    ...(asks.hub && { hub: { configJson } }),
  })
  switch (task.kind) {
    case 'judge': {
      // Of a batch's configs, too, many ask what the same files were before.
      const { readFile: base } = askingOnce({
        ...(asks.base && { readFile: path => ask<'base'>({ kind: 'base', path }) }),
      })
      const options = { ...task.options, sources, ...(base && { base }) }
      return file => judging(options, roomyFootprints())(file)
    }
    case 'explain': {
      const { explainFile } = await import('../explain.ts')
      return file => explainFile(file, { sources, ...(task.settings && { settings: task.settings }) })
    }
    case 'advise': {
      const { adviseFile } = await import('../advise.ts')
      const { combinations, millis } = task
      const options = { ...task.options, sources, ...(combinations !== undefined && { combinations }) }
      return file => {
        const end = cpuMillis() + millis
        return adviseFile(file, { ...options, isTimeUp: () => cpuMillis() > end }, roomyFootprints())
      }
    }
    case 'propose': {
      const { proposeChange } = await import('../propose.ts')
      return file => proposeChange(file, task.config, { sources, ...(task.settings && { settings: task.settings }) })
    }
    case 'read-settings':
      return async file => readSettings(file)
    case 'count-paths':
      return async () => task.paths.filter(path => isCounted(path, task.settings))
    case 'read-calibration': {
      const { readCalibration } = await import('../calibration/file.ts')
      return async file => readCalibration(file)
    }
    case 'read-report': {
      const { report } = await import('../report/schema.ts')
      return async file => report.safeParse(parseJson(file.text)).data
    }
    case 'read-snapshot': {
      const { summarizeFile } = await import('../snapshot/summary.ts')
      return async file => summarizeFile(file.path)
    }
    case 'estimate-run': {
      const { estimateRun } = await import('../subject.ts')
      return file => estimateRun(file.path, task.run, { sources, footprints: roomyFootprints() })
    }
    case 'read-subject': {
      const { readSubject, rehearse } = await import('../subject.ts')
      return async file => {
        const subject = await readSubject(namedBy(file, task.of), task.options, sources)
        rehearse(subject, roomyFootprints())
        return subject
      }
    }
    case 'estimate-subject': {
      const { estimateSubject, readSubject } = await import('../subject.ts')
      const { sentencesOnTorch } = await import('../probes/newer-torch.ts')
      return async file => {
        const subject = await readSubject(namedBy(file, task.of), task.options, sources)
        const { settings } = task.options
        const own = optionsOnGpu(subject.path, { settings, now: new Date() }, subject.askedCard)
        const gpu = task.options.gpu ?? own.options.gpu
        const asked = task.options.gpu === undefined ? sentencesOn(own.asked) : []
        const footprints = roomyFootprints()
        const assessment = estimateSubject(subject, gpu, footprints, settings.calibration)
        const onTorch = sentencesOnTorch(subject.spec, subject.model.config, { gpu, footprints })
        const assumptions = [...subject.assumptions, ...asked, ...onTorch, ...sentencesOnGpu(gpu)]
        return { subject: { ...subject, assumptions }, assessment }
      }
    }
    case 'estimate-methods': {
      const { readSubject } = await import('../subject.ts')
      const { estimateMethods } = await import('../training-methods.ts')
      return async file => {
        const subject = await readSubject(namedBy(file, task.of), task.options, sources)
        return estimateMethods(subject, task.options.changes, task.options.gpu, roomyFootprints())
      }
    }
    case 'plan-subject': {
      const { readSubject } = await import('../subject.ts')
      const { planTraining } = await import('../plan/plan.ts')
      return async file => {
        const subject = await readSubject(namedBy(file, task.of), task.options, sources)
        return { subject, plan: planTraining(subject, task.plan, roomyFootprints()) }
      }
    }
    case 'read':
      return async file => {
        await readConfigAsync(file, sources, settingsFor(file.path, task.settings).supplied)
      }
    case 'is-named-by-configs':
      return async file => isNamedByConfigs(file)
    case 'state-versions':
      return statementsIn
    case 'starts':
      return startedBy
    case 'opens-one-of':
      return file => opensOneOf(file, task.named, task.settings, sources)
  }
}

function cpuMillis(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

function namedBy(file: SourceFile, kind: Named['kind']): Named {
  return kind === 'model' ? { kind, name: file.path } : { kind, file }
}

/** Drops the footprints of earlier files if they take memory that this file may need. */
function roomyFootprints(): FootprintCache {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics()
  if (used > limit / 2) footprints = new FootprintCache()
  return footprints
}
