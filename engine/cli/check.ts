/** `memorymark check`: finds training configs under the paths and prints a verdict each. */
import { analyze } from '../analyze.ts'
import { readConfig } from '../config/read.ts'
import type { SourceFile } from '../config/reading.ts'
import { MemoryMarkError } from '../errors.ts'
import { renderTerminal } from '../render/terminal.ts'
import type { Report } from '../report/schema.ts'
import { defaultPolicy, parseConditions } from '../verdict/policy.ts'
import { gpuFlag, numberFlag, parseFlags } from './arguments.ts'
import type { ExitCode } from './exit-code.ts'
import { findFiles } from './files.ts'
import { modelSources } from './models.ts'

export async function check(args: string[]): Promise<ExitCode> {
  const { values, positionals } = parseFlags(args, {
    gpu: { type: 'string' },
    json: { type: 'boolean' },
    'fail-on': { type: 'string' },
    'warn-on': { type: 'string' },
    'price-per-hour': { type: 'string' },
    'hours-per-run': { type: 'string' },
    'runs-per-year': { type: 'string' },
  })
  const pricePerHourUsd = numberFlag('--price-per-hour', values['price-per-hour'], { integer: false, max: 1e4 })
  const hoursPerRun = numberFlag('--hours-per-run', values['hours-per-run'], { integer: false, max: 1e5 })
  const runsPerYear = numberFlag('--runs-per-year', values['runs-per-year'], { integer: false, max: 1e6 })
  const options = {
    now: new Date(),
    models: modelSources(),
    gpu: gpuFlag(values.gpu),
    policy: {
      failOn: values['fail-on'] !== undefined ? parseConditions(values['fail-on'], '--fail-on') : defaultPolicy.failOn,
      warnOn: values['warn-on'] !== undefined ? parseConditions(values['warn-on'], '--warn-on') : defaultPolicy.warnOn,
    },
    ...(pricePerHourUsd && { pricePerHourUsd }),
    ...(hoursPerRun && { hoursPerRun }),
    ...(runsPerYear && { runsPerYear }),
  }
  const files = await findFiles(positionals.length === 0 ? ['.'] : positionals)
  refuseNamedNonConfigs(files.named)
  const report = await analyze([...files.named, ...files.found], options)
  console.log(values.json ? JSON.stringify(report, null, 2) : terminal(report))
  return exitCode(report)
}

/** A file that the user names is expected to be a training config; one that a directory walk meets is not. */
function refuseNamedNonConfigs(files: readonly SourceFile[]): void {
  for (const file of files) {
    const reading = readConfig(file)
    if (reading.kind !== 'not-a-training-config') continue
    throw new MemoryMarkError({
      code: 'not-a-training-config',
      file: file.path,
      message: 'this is not a training config',
      fix: `${reading.why} Name a file that sets a batch size, or a directory to search.`,
    })
  }
}

function terminal(report: Report): string {
  return renderTerminal(report, {
    color: process.stdout.hasColors?.() ?? false,
    columns: process.stdout.columns ?? 100,
  })
}

/** A block is certain; a config that could not be read only leaves the answer incomplete, so the block wins. */
function exitCode({ configs }: Report): ExitCode {
  if (configs.some(config => config.status === 'analysed' && config.verdict.state === 'blocked')) return 1
  return configs.some(config => config.status === 'not-analysed') ? 2 : 0
}
