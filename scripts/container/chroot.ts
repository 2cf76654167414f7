/**
 * A folder in the place of a container's file system: the system's own folders in it are this machine's, read-only, and Node is the
 * one that runs this script. The network and the processes stay those of this machine.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { cp, mkdir, realpath, symlink } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { output } from '../package/command.ts'

/** Mounts and another root are for root on Linux. */
export const canChroot = process.platform === 'linux' && process.getuid?.() === 0

const READ_ONLY = ['bin', 'etc', 'lib', 'lib64', 'sbin', 'usr']
const MOUNTED = [...READ_ONLY, 'dev', 'proc']
const PATH = '/opt/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

export interface Process {
  readonly env: Readonly<Record<string, string>>
  readonly workdir: string
  /** As `1000:1000`. */
  readonly user: string
  /** With `read-only`, nothing can be written but in the volumes. */
  readonly files: { readonly kind: 'writable' } | { readonly kind: 'read-only'; readonly volumes: readonly string[] }
}

export type Started = ChildProcessByStdio<null, Readable, Readable>

/** Each `exec` keeps the process, so that signals reach the command itself. */
const ENTER = `set -e
root=$1 node=$2 npm=$3 user=$4 workdir=$5 kind=$6 volumes=$7 system=$8
shift 8
mount --bind "$root" "$root"
mount --rbind /dev "$root/dev"
mount --rbind /proc "$root/proc"
for name in $system; do
  if [ -d "/$name" ]; then mount --bind "/$name" "$root/$name"; mount -o remount,bind,ro "$root/$name"; fi
done
mount --bind "$node" "$root/opt/node"
mount --bind "$npm" "$root/opt/npm"
for volume in $volumes; do mount --bind "$root$volume" "$root$volume"; done
if [ "$kind" = read-only ]; then mount -o remount,bind,ro "$root"; fi
exec chroot --userspec="$user" --groups= "$root" /bin/sh -c 'cd "$1"; shift; exec "$@"' sh "$workdir" "$@"`

export class Chroot {
  readonly #folder: string
  readonly #node: string
  readonly #npm: string

  private constructor(folder: string, node: string, npm: string) {
    this.#folder = folder
    this.#node = node
    this.#npm = npm
  }

  /** Made of `base`, or of nothing. */
  static async create(folder: string, base?: Chroot): Promise<Chroot> {
    if (base !== undefined) {
      await cp(base.#folder, folder, { recursive: true, verbatimSymlinks: true })
      return new Chroot(folder, base.#node, base.#npm)
    }
    for (const name of [...MOUNTED, 'tmp', 'root', 'opt/bin', 'opt/node', 'opt/npm']) {
      await mkdir(path.join(folder, name), { recursive: true })
    }
    await symlink('/opt/node/node', path.join(folder, 'opt/bin/node'))
    await symlink('/opt/npm/bin/npm-cli.js', path.join(folder, 'opt/bin/npm'))
    const npm = await realpath((await output('which', ['npm'], { cwd: folder })).trim())
    return new Chroot(folder, path.dirname(await realpath(process.execPath)), path.join(path.dirname(npm), '..'))
  }

  /** Where an absolute path of the inside is outside. */
  at(inside: string): string {
    return path.join(this.#folder, inside)
  }

  start(command: readonly string[], { env, workdir, user, files }: Process): Started {
    const volumes = files.kind === 'read-only' ? files.volumes.join(' ') : ''
    const settings = [this.#folder, this.#node, this.#npm, user, workdir, files.kind, volumes, READ_ONLY.join(' ')]
    return spawn('unshare', ['--mount', '/bin/sh', '-c', ENTER, 'enter', ...settings, ...command], {
      env: { PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }
}
