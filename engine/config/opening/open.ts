/** Recognises whatever may hold a training: files of keys, scripts, notebooks and launchers. */

import type { SuppliedFields } from '../fields/supplied.ts'
import { findLaunched } from '../other-files/find-launched.ts'
import { type Launched, notLaunched } from '../other-files/launched.ts'
import type { LoadingScript, NotModelled } from '../other-files/loading-script.ts'
import { isNotebookPath, isPythonPath, mayTrain } from '../python/quick-look.ts'
import type { SourceFile } from '../reading.ts'
import { isLauncherPath } from '../shell/quick-look.ts'
import type { Sources } from '../sources.ts'
import { loadedConfig, notModelledConfig, openConfig } from './keys.ts'
import { openLaunched } from './launcher.ts'
import { notOurs, type OpenConfig, type UnopenedFile } from './open-config.ts'
import { isTomlPath, mayInherit } from './quick-look.ts'
import { scriptConfig, withoutCallers } from './script.ts'
import { openToml } from './toml.ts'

/** With the files of the repository that it imports settings from, and what starts it. `searched` notes no files. */
export async function openFile(
  file: SourceFile,
  sources: Sources,
  supplied: SuppliedFields,
  searched: Sources,
): Promise<OpenConfig | UnopenedFile> {
  if (isLauncherPath(file.path)) return openLaunched(file, sources, supplied, searched)
  if (isTomlPath(file.path)) {
    const opened = await openToml(file, supplied)
    if (opened.kind !== 'open') return opened
    const launched = await findLaunched(file.path, searched)
    return launched === notLaunched ? opened : openToml(file, supplied, launched)
  }
  if (!isPythonPath(file.path)) {
    if (mayInherit(file.text)) {
      const { openInherited } = await import('./inherited.ts')
      const inherited = await openInherited(file, sources, supplied, searched)
      if (inherited !== undefined) return inherited
    }
    // Only what is a config may have a launcher.
    const opened = openConfig(file, supplied)
    if (opened.kind !== 'open') return opened
    const launched = await findLaunched(file.path, searched)
    const loading = await findByCode(opened, file, launched, sources, searched)
    if (loading?.kind === 'loads') return loadedConfig(loading, file, supplied, launched)
    if (loading?.kind === 'not-modelled' && opened.modelName === undefined)
      return notModelledConfig(opened, file, supplied, loading)
    return launched === notLaunched ? opened : openConfig(file, supplied, launched)
  }
  if (!mayTrain(file.text)) return isNotebookPath(file.path) ? openLaunched(file, sources, supplied, searched) : notOurs
  // The parser is read when the first script asks for it: few changes have one.
  const { openScript, startsNone, trainsNothing } = await import('../python/script.ts')
  const alone = await openScript(file, sources)
  if (alone === startsNone && isNotebookPath(file.path)) return openLaunched(file, sources, supplied, searched)
  if (alone === startsNone || alone.kind === 'unreadable') return withoutCallers(alone)
  const launched = await findLaunched(file.path, searched)
  if (alone.asksCallers && launched === notLaunched) {
    const { openCalled } = await import('../other-files/called-script.ts')
    const called = await openCalled(file, sources, searched)
    if (called !== undefined) return scriptConfig(called.opened, file, supplied, called.launched)
  }
  const { passed } = launched
  const opened = passed.length === 0 ? alone : await openScript({ ...file, passed }, sources)
  // What starts it evaluates: its training is what the file says.
  if (opened === trainsNothing) return scriptConfig(alone, file, supplied, notLaunched)
  return scriptConfig(opened, file, supplied, launched)
}

/** What the code makes of a config that leaves its model to it. */
async function findByCode(
  opened: OpenConfig,
  file: SourceFile,
  launched: Launched,
  sources: Sources,
  searched: Sources,
): Promise<LoadingScript | NotModelled | undefined> {
  if (sources.readFile === undefined) return undefined
  if (opened.mayBeLoaded) {
    const { findLoadingScript } = await import('../other-files/loading-script.ts')
    return findLoadingScript(file, launched, sources)
  }
  if (!opened.namesClasses) return undefined
  const { openLightningCli } = await import('../python/training/lightning-cli.ts')
  return openLightningCli(file, sources, searched)
}
