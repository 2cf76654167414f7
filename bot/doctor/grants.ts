/** Compares the permissions and events granted with those needed. */
import type { Finding } from './finding.ts'
import { type Level, neededEvents, neededPermissions } from './needs.ts'

export interface Grants {
  /** Who granted them, as findings name it. */
  readonly of: string
  /** Where a person can change them. */
  readonly page: string
  readonly permissions: Readonly<Record<string, string>>
  readonly events: readonly string[]
}

/** One finding for each grant that is missing or unneeded; a single good one if there is none. */
export function examineGrants(grants: Grants): readonly Finding[] {
  const findings = [...missingPermissions(grants), ...missingEvents(grants), ...superfluous(grants)]
  return findings.length > 0 ? findings : [{ kind: 'well', what: `${grants.of} grants exactly what is needed` }]
}

function missingPermissions({ of, page, permissions }: Grants): readonly Finding[] {
  return Object.entries(neededPermissions).flatMap(([name, { level, without }]): Finding[] => {
    const granted = permissions[name]
    if (covers(granted, level)) return []
    const what = `${of} grants ${granted === undefined ? 'no' : `only "${granted}" on`} ${name}: without "${level}", ${without}`
    return [{ kind: 'fault', what, todo: `Grant "${name}: ${level}" at ${page}, as bot/app.yml says.` }]
  })
}

function missingEvents({ of, page, events }: Grants): readonly Finding[] {
  return Object.entries(neededEvents)
    .filter(([name]) => !events.includes(name))
    .map(([name, without]) => ({
      kind: 'fault',
      what: `${of} does not send ${name}: ${without}`,
      todo: `Subscribe to "${name}" at ${page}, as bot/app.yml says.`,
    }))
}

function superfluous({ of, page, permissions }: Grants): readonly Finding[] {
  const more = Object.entries(permissions).filter(([name, level]) => {
    const need = neededPermissions[name]
    return need === undefined || (need.level === 'read' && level !== 'read')
  })
  if (more.length === 0) return []
  const listed = more.map(([name, level]) => `${name}: ${level}`).join(', ')
  return [
    { kind: 'remark', what: `${of} grants more than is needed (${listed})`, todo: `It can be revoked at ${page}.` },
  ]
}

function covers(granted: string | undefined, needed: Level): boolean {
  return granted === 'write' || granted === 'admin' || granted === needed
}
