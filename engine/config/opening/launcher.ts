/** Shell scripts, Makefiles and the like whose commands say the whole training in their arguments. */
import { FieldReader } from '../fields/fields.ts'
import type { SuppliedFields } from '../fields/supplied.ts'
import { jobsNear } from '../other-files/find-launched.ts'
import type { SourceFile } from '../reading.ts'
import { mayLaunch } from '../shell/quick-look.ts'
import type { Sources } from '../sources.ts'
import { completed, tellLaunch, withAskedCard, withOpenCode, withUnreadSettings } from './completed.ts'
import { named, notOurs, type OpenConfig, type UnopenedFile } from './open-config.ts'
import { ofTraining, scriptConfig } from './script.ts'

/** `searched` notes no files. */
export async function openLaunched(
  file: SourceFile,
  sources: Sources,
  supplied: SuppliedFields,
  searched: Sources,
): Promise<OpenConfig | UnopenedFile> {
  if (!mayLaunch(file.text)) return notOurs
  // Like Python's, the shell's parser is read when the first file asks for it.
  const { openLauncher } = await import('../shell/open-launcher.ts')
  const opened = await openLauncher(file, sources)
  if (opened.kind === 'script') {
    const { launchedHere } = await import('../shell/started-by-launchers.ts')
    const jobs = await jobsNear(file.path, searched)
    const script = opened.training === undefined ? opened.script : { ...opened.script, training: opened.training }
    return scriptConfig(script, file, supplied, await launchedHere(opened, file, sources, jobs))
  }
  if (opened.kind !== 'open') return opened
  const { dialect, why, document, gpus, visible, card, assumptions, training } = opened
  return {
    kind: 'open',
    dialect: dialect.name,
    why,
    ...named(supplied.model ?? dialect.modelField(document), dialect.deepSpeedField?.(document)),
    read: (found, reader = new FieldReader(file.path, supplied)) => {
      const read = () => {
        tellLaunch(reader, { gpus, visible, assumptions })
        const own = document.afresh()
        const reading = withUnreadSettings(dialect.read(own, reader, found.lookUp, found.deepSpeed), own, dialect)
        return { reading: withAskedCard(assumptions.length > 0 ? withOpenCode(reading) : reading, card) }
      }
      return ofTraining(completed(found, supplied, reader, read), training)
    },
  }
}
