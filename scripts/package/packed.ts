/** The package as npm would publish it, and installations of it. */
import { mkdir, readdir } from 'node:fs/promises'
import path from 'node:path'
import { output } from './command.ts'

/** Less of npm's own talk, and no questions to registries but for packages. */
export const npmEnvironment = {
  ...process.env,
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
}

/** Packs the repository in `folder`, which has been built, into `into`. Resolves to the file. */
export async function pack(folder: string, into: string): Promise<string> {
  await mkdir(into, { recursive: true })
  await output('npm', ['pack', '--ignore-scripts', '--pack-destination', into], { cwd: folder, env: npmEnvironment })
  const [file, ...others] = (await readdir(into)).filter(name => name.endsWith('.tgz'))
  if (file === undefined || others.length > 0) throw new Error(`npm pack left ${file ?? 'no file'} in ${into}`)
  return path.join(into, file)
}

/** Its commands then stand in `prefix`/bin. */
export async function installGlobally(
  tarball: string,
  prefix: string,
  env: NodeJS.ProcessEnv = npmEnvironment,
): Promise<void> {
  await mkdir(prefix, { recursive: true })
  await output('npm', ['install', '--global', '--prefix', prefix, tarball], { cwd: prefix, env })
}
