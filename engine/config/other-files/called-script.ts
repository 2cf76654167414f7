/** A script whose training is set up with what other files pass to its functions, read as those call it. */

import { findCallers } from '../python/callers.ts'
import { type Opened, openScript } from '../python/script.ts'
import type { SourceFile } from '../reading.ts'
import type { Sources } from '../sources.ts'
import { oneOf, plain } from '../text/quote.ts'
import { findLaunched } from './find-launched.ts'
import { type Launched, notLaunched } from './launched.ts'

export interface CalledScript {
  readonly opened: Opened
  readonly launched: Launched
}

/** Undefined where nothing calls it, or what does says no more. `searched` notes no files. */
export async function openCalled(
  file: SourceFile,
  sources: Sources,
  searched: Sources,
): Promise<CalledScript | undefined> {
  const callers = await findCallers(file, searched)
  const [first, ...others] = callers.filter(({ text }) => /__main__|\bargparse\b|hydra\.main/.test(text))
  if (callers.length === 0) return undefined
  const isOne = first !== undefined && others.length === 0
  const launched = isOne ? await findLaunched(first.path, searched) : notLaunched
  const opened = await openScript({ ...file, passed: launched.passed }, sources, callers)
  if (opened.kind === 'not-a-training-config') return undefined
  const sentence = `Read as ${oneOf(callers.map(({ path }) => plain(path)))} calls it.`
  const told = { assumptions: [sentence, ...launched.assumptions], files: [...launched.files, ...callers] }
  return { opened, launched: { ...launched, ...told } }
}
