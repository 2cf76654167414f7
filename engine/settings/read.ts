/** `.github/memorymark.yml`, read by the parser that reads configs. */

import type { Problem } from '../base/errors.ts'
import { type SuppliedFields, type SuppliedKey, type SuppliedVersion, suppliedKeys } from '../config/fields/supplied.ts'
import type { SourceFile } from '../config/reading.ts'
import { parseFile } from '../config/text/document.ts'
import type { FieldValue, Place, Section } from '../config/text/section.ts'
import { describedGpu } from '../gpus/described.ts'
import { versionedLibraries } from '../training/versions.ts'
import { problemsOf } from './problems.ts'
import { type SettingsFile, settingsFileWith } from './schema.ts'
import type { RepositorySettings } from './settings.ts'

export type SettingsReading =
  | { readonly kind: 'settings'; readonly settings: RepositorySettings }
  | { readonly kind: 'none' }
  /** Every problem found, not just the first. */
  | { readonly kind: 'unreadable'; readonly problems: readonly Problem[] }

const MAX_PROBLEMS = 50
const MAX_NAMES = 50

/** What may be supplied for the whole repository; there, `gpus` describes GPUs rather than counting them. */
const repositoryKeys: readonly SuppliedKey[] = ['expandable_segments']

/** `file` is undefined where the repository has none. Never throws for what the file holds. */
export function readSettings(file: SourceFile | undefined): SettingsReading {
  if (file === undefined) return { kind: 'none' }
  const parsed = parseFile(file)
  if (parsed.kind === 'unreadable') return parsed
  // A repeated key in a settings file is a mistake, so it is reported.
  if (parsed.repeated.length > 0) return unreadable(parsed.repeated)
  const [top, ...others] = parsed.mappings
  if (top === undefined) return isBlank(file.text) ? { kind: 'none' } : unreadable([noMapping(file)])
  if (others.length > 0) return unreadable([severalDocuments(file)])

  const written = plainSection(top)
  const checked = settingsFileWith(describedNames(written.gpus)).safeParse(written)
  if (!checked.success) return unreadable(checked.error.issues.flatMap(issue => problemsOf(issue, top, file.path)))
  const { data } = checked
  return {
    kind: 'settings',
    settings: {
      source: file.path,
      paths: data.paths,
      ignore: data.ignore ?? [],
      gpu: data.gpu,
      gpus: (data.gpus ?? []).map((described, index) => {
        const { line } = itemOf(top, 'gpus', index)?.at ?? { line: 1 }
        return describedGpu({
          name: described.name,
          memoryGib: described.memory_gib,
          bandwidthGbPerSecond: described.bandwidth_gb_per_second,
          fp32Tflops: described.fp32_tflops,
          tf32Tflops: described.tf32_tflops,
          fp16Tflops: described.fp16_tflops,
          bf16Tflops: described.bf16_tflops,
          linkGbPerSecond: described.link_gb_per_second,
          describedAt: `${file.path}, line ${line}`,
        })
      }),
      pricesPerHourUsd: { ...data.prices, ...pricesOf(data.gpus) },
      hoursPerRun: data.hours_per_run,
      runsPerYear: data.runs_per_year,
      failOn: data['fail-on'],
      warnOn: data['warn-on'],
      judge: data.judge,
      stepSize: data.step_size,
      marginPercent: data.margin_percent,
      reportSchedule: data.report?.schedule,
      measure: data.measure && {
        by: data.measure.by,
        workflow: data.measure.workflow,
        waitMinutes: data.measure.wait_minutes,
      },
      playground: data.playground,
      calibrationPath: data.calibration,
      calibration: [],
      supplied: suppliedIn(top, file.path, repositoryKeys),
      overrides: (data.overrides ?? []).map((override, index) => ({
        paths: [override.path],
        gpu: override.gpu,
        hoursPerRun: override.hours_per_run,
        runsPerYear: override.runs_per_year,
        supplied: suppliedIn(overrideSection(top, index), file.path),
      })),
    },
  }
}

/** The names of the GPUs described. Values that are not strings are reported elsewhere. */
function describedNames(described: unknown): readonly string[] {
  if (!Array.isArray(described)) return []
  return described.flatMap(one => (hasName(one) ? [one.name] : [])).slice(0, MAX_NAMES)
}

function hasName(one: unknown): one is { readonly name: string } {
  return typeof one === 'object' && one !== null && 'name' in one && typeof one.name === 'string'
}

function pricesOf(described: SettingsFile['gpus'] = []): RepositorySettings['pricesPerHourUsd'] {
  return Object.fromEntries(described.map(({ name, dollars_per_hour }) => [name, dollars_per_hour]))
}

function overrideSection(top: Section, index: number): Section | undefined {
  const override = itemOf(top, 'overrides', index)
  return override?.kind === 'mapping' ? override.section : undefined
}

function itemOf(top: Section, key: string, index: number): (FieldValue & Place) | undefined {
  const list = top.field(key)?.value
  return list?.kind === 'list' ? list.items[index] : undefined
}

/** Checked by the schema before. */
function suppliedIn(
  section: Section | undefined,
  file: string,
  keys: readonly SuppliedKey[] = suppliedKeys,
): SuppliedFields {
  const fields = keys.flatMap(key => {
    const field = section?.at(key)
    return field === undefined ? [] : [[key, { ...field, file }] as const]
  })
  const versions = versionsIn(section, file)
  return { ...Object.fromEntries(fields), ...(versions.length > 0 && { versions }) }
}

function versionsIn(section: Section | undefined, file: string): readonly SuppliedVersion[] {
  return versionedLibraries.flatMap(library => {
    const field = section?.at('versions', library)
    if (field?.value.kind !== 'text') return []
    return [{ library, version: field.value.text, place: `${file}, line ${field.at.line}` }]
  })
}

/** A key without a value counts as absent. */
function plainSection(section: Section): Record<string, unknown> {
  const written = [...section.fields.values()].filter(({ value }) => value.kind !== 'empty')
  return Object.fromEntries(written.map(({ key, value }) => [key, plainValue(value)]))
}

function plainValue(value: FieldValue): unknown {
  switch (value.kind) {
    case 'number':
      return value.number
    case 'text':
      return value.text
    case 'flag':
      return value.flag
    case 'empty':
    case 'open':
      return undefined
    case 'list':
      return value.items.map(plainValue)
    case 'mapping':
      return plainSection(value.section)
  }
}

function unreadable(problems: readonly Problem[]): SettingsReading {
  return { kind: 'unreadable', problems: problems.slice(0, MAX_PROBLEMS) }
}

function isBlank(text: string): boolean {
  return text.split('\n').every(line => /^\s*(?:#.*|---\s*)?$/.test(line))
}

function noMapping({ path }: SourceFile): Problem {
  return {
    code: 'settings-refused',
    file: path,
    line: 1,
    message: 'The settings are not a mapping of keys to values',
    fix: 'Write one setting per line, such as gpu: a10.',
  }
}

function severalDocuments({ path }: SourceFile): Problem {
  return {
    code: 'settings-refused',
    file: path,
    line: 1,
    message: 'The file holds several documents',
    fix: 'Keep one, and remove the lines of three dashes between them.',
  }
}
