/** The pages' script and styles as these sources build them, in memory. */
import path from 'node:path'
import { buildBundle, dashboardBundle } from '../../../scripts/bundles.ts'
import { type Assets, assetsOf } from '../../../server/dashboard/assets.ts'

export async function freshAssets(): Promise<Assets> {
  const files = await buildBundle(dashboardBundle)
  const named = (name: string) => {
    const file = files.find(built => path.basename(built.name) === name)
    if (file === undefined) throw new Error(`the bundle has no ${name}`)
    return file.contents
  }
  return assetsOf({ 'dashboard.js': named('dashboard.js'), 'dashboard.css': named('dashboard.css') })
}
